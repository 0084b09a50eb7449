import MarkdownIt from 'markdown-it';

const renderer = new MarkdownIt({ html: false, linkify: false });
// A picture would load an address that the agent chose.
renderer.disable('image');
// A link opens a page of its own, which gets no access to this one.
renderer.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('target', '_blank');
  tokens[index]?.attrSet('rel', 'noopener noreferrer');
  return self.renderToken(tokens, index, options);
};
// What is wider than the panel scrolls, so it must be reachable with the keyboard.
for (const rule of ['fence', 'code_block'] as const) {
  const draw = renderer.renderer.rules[rule];
  renderer.renderer.rules[rule] = (...token) => draw?.(...token).replace('<pre>', '<pre tabindex="0">') ?? '';
}
renderer.renderer.rules.table_open = () => '<table tabindex="0">';

/**
 * Text of an agent, drawn as Markdown. HTML in the text is escaped, because `html` is off. The renderer does not make a
 * link of an address with a protocol that can run code, such as `javascript:`.
 */
export function Markdown({ text }: { readonly text: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the renderer escapes the agent's HTML, see above
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: renderer.render(text) }} />;
}
