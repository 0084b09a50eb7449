import { expect, test } from 'vitest';
import { renderMarkdownHtml } from '../../../src/ui/markdown/markdown.ts';
import hostNames from '../../../src/ui/panel-element/markdown/replaced-packages.ts';

test('HTML is escaped, scripts are no links, and pictures are not loaded', () => {
  const html = renderMarkdownHtml(
    '<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](https://a.example/y.png)',
  );
  expect(html).toContain(
    '&lt;img src=x onerror=alert(1)&gt; [x](javascript:alert(1)) !<a href="https://a.example/y.png"',
  );
  expect(html).not.toContain('<img');
});

test.each(['src/a.ts:3', 'C:/a.ts', 'file:///a.ts'])(
  '%s is a link only if the page opens files',
  (address) => {
    expect(renderMarkdownHtml(`[a](${address})`)).toContain(`<span title="${address}">a</span>`);
    expect(renderMarkdownHtml(`[a](${address})`, { links: 'webAndFiles' })).toContain(
      `<a href="${address}">a</a>`,
    );
  },
);

test.each(['mailto:a@a.example', 'vscode://a.b/c'])('%s is no link', (address) => {
  expect(renderMarkdownHtml(`[a](${address})`, { links: 'webAndFiles' })).toContain('<span title=');
});

test('invisible characters and those that change the direction are removed everywhere', () => {
  const hidden = '\u202e\u200b\u{e0041}';
  const text = `${hidden}a\n\n\`\`\`${hidden}ts\n${hidden}b\n\`\`\`\n\n[c](https://a.example "${hidden}") &#x202e;&#8203;\n\n\`${hidden}\``;
  expect(renderMarkdownHtml(text)).not.toMatch(/[\u202e\u200b\u{e0041}]/u);
  expect(renderMarkdownHtml(text)).toContain('\ufffdb');
});

test('code has its language and the buttons of the page', () => {
  const codeButtons = { copy: 'Copy' };
  const html = renderMarkdownHtml('```ts x\na < b\n```', { codeButtons });
  expect(renderMarkdownHtml('    a', { codeButtons })).toContain('<div><span></span><button');
  expect(html).toBe(
    '<div class="code" dir="ltr"><div><span>ts</span><button type="button" data-code-button="copy">Copy</button></div><pre tabindex="0"><code>a &lt; b\n</code></pre></div>\n',
  );
});

test('the alignment of a column is a class, which a Content Security Policy permits', () => {
  const html = renderMarkdownHtml('| a | b | c | d |\n|---|:---|:---:|---:|\n| e | f | g | h |');
  expect(html).toContain(
    '<tr>\n<th>a</th>\n<th class="align-left">b</th>\n<th class="align-center">c</th>\n<th class="align-right">d</th>\n</tr>',
  );
  expect(html).toContain('<td class="align-right">h</td>');
  expect(html).not.toContain('style=');
});

test.each([
  ['bücher.example', 'xn--bcher-kva.example'],
  ['例え.jp', 'xn--r8jz45g.jp'],
  ['Example.COM', 'example.com'],
])('the element names the host %s as the network does', (hostname, expected) => {
  expect(hostNames.toASCII(hostname)).toBe(expected);
  expect(hostNames.toUnicode(expected)).toBe(expected);
});
