/**
 * Shows HTML in an element. What is the same at its start stays as it is: the browser lays out only what is new, and a
 * selection in it remains. The HTML must be safe. Returns how many characters it has.
 */
export function showHtml(element: Element, html: string): number {
  // Outside of the page, so that its styles are not computed for each part.
  const template = document.createElement('template');
  template.innerHTML = html;
  replaceRest(element, template.content);
  return html.length;
}

/** Replaces the nodes of a parent from the first one that differs. */
function replaceRest(parent: Node, wanted: Node): void {
  let shown = parent.firstChild;
  let next = wanted.firstChild;
  while (shown && next && shown.isEqualNode(next)) {
    shown = shown.nextSibling;
    next = next.nextSibling;
  }
  if (shown && next && grows(shown, next)) {
    shown = shown.nextSibling;
    next = next.nextSibling;
  }
  while (shown) {
    const after = shown.nextSibling;
    shown.remove();
    shown = after;
  }
  while (next) {
    const after = next.nextSibling;
    parent.appendChild(next);
    next = after;
  }
}

/** Makes a node equal to another one, if it can stay. Returns whether it could. */
function grows(shown: ChildNode, wanted: ChildNode): boolean {
  if (shown instanceof Text && wanted instanceof Text) {
    if (wanted.data.startsWith(shown.data)) shown.appendData(wanted.data.slice(shown.length));
    else shown.data = wanted.data;
    return true;
  }
  if (!(shown instanceof Element) || !shown.cloneNode().isEqualNode(wanted.cloneNode())) return false;
  replaceRest(shown, wanted);
  return true;
}
