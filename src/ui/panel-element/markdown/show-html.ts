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
function replaceRest(parent: Element, wanted: ParentNode): void {
  const shown = [...parent.childNodes];
  const next = [...wanted.childNodes];
  let same = 0;
  while (shown[same]?.isEqualNode(next[same] ?? null)) same++;
  const [last, grown] = [shown[same], next[same]];
  if (last && grown && grows(last, grown)) same++;
  for (const gone of shown.slice(same)) gone.remove();
  parent.append(...next.slice(same));
}

/** Makes a node equal to another one, if it can stay. Returns whether it could. */
function grows(shown: ChildNode, wanted: ChildNode): boolean {
  if (shown instanceof Text && wanted instanceof Text) {
    if (wanted.data.startsWith(shown.data)) shown.appendData(wanted.data.slice(shown.length));
    else shown.data = wanted.data;
    return true;
  }
  if (!(shown instanceof Element && wanted instanceof Element)) return false;
  if (!shown.cloneNode().isEqualNode(wanted.cloneNode())) return false;
  replaceRest(shown, wanted);
  return true;
}
