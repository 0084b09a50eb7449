// How the site's Markdown differs from VitePress's.

/** The address of a heading, as GitHub makes it: the pages link to it. */
export function slugify(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** A header cell without a text is a cell: a screen reader would announce a header that says nothing. */
export function withoutEmptyHeaders({ renderer }) {
  const render = (empty, offset) => (tokens, index, options, _env, self) =>
    tokens[index + offset]?.content === '' ? empty : self.renderToken(tokens, index, options);
  renderer.rules.th_open = render('<td>', 1);
  renderer.rules.th_close = render('</td>', -1);
}

/** A page for the search, which needs no colors and no types. */
export function renderPlain(text, env, markdown) {
  const { highlight } = markdown.options;
  markdown.options.highlight = null;
  try {
    return markdown.render(text, env);
  } finally {
    markdown.options.highlight = highlight;
  }
}

/** A word of a search. `null` for one that says nothing, as in "how do I". The page runs this function too. */
export function withoutSmallWords(word) {
  const small =
    /^(?:.{1,2}|the|how|what|why|when|where|which|who|can|does|did|and|for|with|from|that|this|are|was|has|have|use|not|you|your|its)$/i;
  return small.test(word) ? null : word.toLowerCase();
}

/** How much a section counts in the search. The page runs this function, so that it uses nothing outside of it. */
export function guidesFirst(id) {
  if (/\/source\/|\/api\/.*#(?:types-of-)?acp-client-sdk|\/contents\./.test(id)) return 0.05;
  if (/\/(?:decisions|changelog|architecture|contributing|maintaining|conformance)\b/.test(id)) return 0.2;
  if (/\/api\//.test(id)) return 0.4;
  return 1;
}
