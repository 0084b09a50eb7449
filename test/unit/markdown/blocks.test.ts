import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { markdownBlocks, renderMarkdownHtml } from '../../../src/ui/markdown/markdown.ts';
import type { MarkdownBlock } from '../../../src/ui/markdown/options.ts';
import { markdownParser } from '../../../src/ui/markdown/parser.ts';
import { MarkdownReader } from '../../../src/ui/markdown/reader.ts';
import { runs } from '../../support/runs.ts';

const joined = (blocks: readonly { readonly html: string }[]) => blocks.map(({ html }) => html).join('');

const lengthOf = (calls: readonly (readonly [string, ...unknown[]])[]) =>
  calls.reduce((sum, [source]) => sum + source.length, 0);

const piece = fc.constantFrom(
  ...['# ', '- ', '1. ', '> ', '```', '~~~\n', '```ts\n', '| a | b |\n', '|---|---|\n', '---\n', '=\n'],
  ...['\n', '\n\n', '    ', '  ', 'word ', 'a', '**', '`', '[x]', '[x]: /y\n', "'title\n", "end'\n"],
  ...['\\', '&amp;', '- [ ] task\n', '\r\n', '\u2028', '\u202e', '\t'],
);
/** Markdown in which each construct can meet each other one. */
const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('Markdown that grows', () => {
  test('is at each step what the text up to there is when it is read at once', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }), (text, cuts) => {
        const blocksOf = markdownBlocks();
        let end = 0;
        for (const cut of cuts) {
          end = Math.min(text.length, end + cut);
          const start = text.slice(0, end);
          expect(joined(blocksOf(start))).toBe(renderMarkdownHtml(start));
        }
        expect(joined(blocksOf(text))).toBe(renderMarkdownHtml(text));
      }),
      { numRuns: runs(150) },
    );
  });

  test('is what the parser makes of the whole text, if no block is long', () => {
    const parser = markdownParser({});
    const text = markdown.map((text) => text.replace(/[\r\u2028\u202e\t]/g, ''));
    fc.assert(
      fc.property(text, (text) => {
        expect(renderMarkdownHtml(text)).toBe(parser.render(text));
      }),
      { numRuns: runs(150) },
    );
  });

  test('is parsed once, and made into HTML where the HTML is read only', () => {
    const parser = markdownParser({});
    const [block, inline] = [vi.spyOn(parser.block, 'parse'), vi.spyOn(parser.inline, 'parse')];
    const text = 'Some *text*.\n\n'.repeat(1000);
    const blocks = new MarkdownReader(parser, {}).read(text, {}) ?? [];
    expect(blocks).toHaveLength(1000);
    expect(lengthOf(block.mock.calls)).toBeLessThan(1.1 * text.length);
    expect(blocks.at(-1)?.html).toBe('<p dir="auto">Some <em>text</em>.</p>\n');
    expect(lengthOf(inline.mock.calls)).toBe('Some *text*.'.length);
  });

  test('keeps the objects of finished blocks', () => {
    const blocksOf = markdownBlocks();
    const [heading, code, list] = blocksOf('# A\n\n```ts\nlet a;\n```\n\n- one\n');
    const later = blocksOf('# A\n\n```ts\nlet a;\n```\n\n- one\n- two\n\nThe end');
    expect(later.slice(0, 2)).toEqual([heading, code]);
    expect(later[0]).toBe(heading);
    expect(later[1]).toBe(code);
    expect(later[2]?.key).toBe(list?.key);
    expect(later[2]?.html).toContain('two');
    // The same list, if nothing changed.
    expect(blocksOf('# A\n\n```ts\nlet a;\n```\n\n- one\n- two\n\nThe end')).toBe(later);
    const named = blocksOf('[a]\n')[0];
    expect(blocksOf('[a]\n\nb')[0]).toBe(named);
    const open = blocksOf('```\na\n');
    expect(blocksOf('```\na\n```\n')).toBe(open);
  });

  test('draws an earlier block again when a name in it gets an address', () => {
    const blocksOf = markdownBlocks();
    const [before, other] = blocksOf('see [the page]\n\nother\n\nlast\n');
    expect(before?.html).not.toContain('<a');
    const [after, same] = blocksOf(
      'see [the page]\n\nother\n\nlast\n\n[The Page]: https://a.example\n\nend\n',
    );
    expect(after).not.toBe(before);
    expect(after?.html).toContain('href="https://a.example"');
    expect(same).toBe(other);
    // Also one that was not finished when the address came.
    const growing = markdownBlocks();
    expect(joined(growing('see [the page]\n'))).not.toContain('<a');
    const [last] = growing('see [the page]\n\n[the page]: https://a.example\n\nend\n');
    expect(last?.html).toContain('href="https://a.example"');
  });

  test('[security: linear-time] draws each block for its first 32 names only, which can get addresses later', () => {
    const drawnOf = (names: number) => {
      const list = Array.from({ length: names }, (_, at) => `n${at}`);
      let text = `${list.map((name) => `[${name}]`).join(' ')}\n\n`;
      const blocksOf = markdownBlocks();
      const drawn = new Set<unknown>();
      for (const name of list) {
        text += `[${name}]: https://a.example/${name}\n\nnext\n\n`;
        drawn.add(blocksOf(text)[0]);
      }
      expect(joined(blocksOf(text))).toBe(renderMarkdownHtml(text));
      return { drawn: drawn.size, links: blocksOf(text)[0]?.html.match(/<a /g)?.length };
    };
    expect([20, 32, 33, 300].map(drawnOf)).toEqual([
      { drawn: 20, links: 20 },
      { drawn: 32, links: 32 },
      { drawn: 32, links: 32 },
      { drawn: 32, links: 32 },
    ]);
    const first = Array.from({ length: 40 }, (_, at) => `[n${at}]: /${at}\n`).join('');
    const known = `${first}\n${Array.from({ length: 40 }, (_, at) => `[n${at}]`).join(' ')}`;
    expect(renderMarkdownHtml(known)).toMatch(/>n31<\/(?:a|span)> \[n32\] /);
  });

  test('starts anew with a text that does not continue the one before', () => {
    const blocksOf = markdownBlocks();
    blocksOf('```\ncode');
    expect(joined(blocksOf('# new'))).toBe(renderMarkdownHtml('# new'));
  });
});

/** Blocks that are many times as long as what is parsed at once, which has about 8 KB. */
const giants = {
  'an open block of code': `\`\`\`ts\n${'const value = compute(input); // text\n'.repeat(1500)}`,
  'code in a list': `1. Do this:\n\n   \`\`\`ts\n${'   const value = compute(input);\n'.repeat(1500)}`,
  'code in a quotation': `> \`\`\`ts\n${'> const value = compute(input);\n'.repeat(1500)}`,
  'a list': '- an item with *some* text\n'.repeat(2000),
  'an item of a list': `- an item\n${'  goes on and on\n'.repeat(3500)}`,
  'a paragraph of lines': 'The quick brown fox jumps.\n'.repeat(2000),
  'a paragraph in one line': 'The quick **brown** fox jumps. '.repeat(2000),
  'one word': 'x'.repeat(60_000),
  'a table': `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(4000)}`,
  'a quotation': '> The quick brown fox jumps.\n'.repeat(2000),
  'definitions of links': Array.from({ length: 1800 }, (_, at) => `[n${at}]: https://a.example\n`).join(''),
};

describe.each(Object.entries(giants))('%s of 60 KB', (_, text) => {
  test('is parsed in a time that grows with its length', () => {
    const parser = markdownParser({});
    const parse = vi.spyOn(parser.block, 'parse');
    const reader = new MarkdownReader(parser, {});
    const step = 400;
    for (let end = step; end < text.length; end += step) reader.read(text.slice(0, end), {});
    const blocks = reader.read(text, {}) ?? [];
    // Each step parses what is open twice: 8 KB, and a piece of a long line.
    expect(lengthOf(parse.mock.calls)).toBeLessThan(
      (text.length / step) * 2 * (8192 + 4096) + 10 * text.length,
    );
    expect(joined(blocks)).toBe(renderMarkdownHtml(text));
    expect(Math.max(...blocks.map(({ code, html }) => (code ? 0 : html.length)))).toBeLessThan(
      text.length / 2,
    );
  });
});

describe('a list', () => {
  const items = (count: number, end: string) => `- an item that has **some** text${end}`.repeat(count);

  test('is divided before the item before its last one, when it has 1,024 characters', () => {
    const blocks = markdownBlocks()(items(100, '\n'));
    const counts = blocks.map(({ html }) => html.match(/<li/g)?.length);
    // 32 items have 1,024 characters.
    expect(counts).toEqual([30, 30, 30, 10]);
    for (const before of ['words '.repeat(600), `\`\`\`\n${'x'.repeat(1100)}\n\`\`\``]) {
      const [, ...after] = markdownBlocks()(`${before}\n\n${items(100, '\n')}`);
      expect(after.map(({ html }) => html)).toEqual(blocks.map(({ html }) => html));
    }
  });

  test('with numbers is divided when it has 4,096 characters: its numbers need not count the items', () => {
    const blockCounts = [60, 140].map(
      (count) => markdownBlocks()('1. an item with **some** text\n'.repeat(count)).length,
    );
    expect(blockCounts).toEqual([1, 2]);
  });

  test('of long items is divided when two are before the last two, or when it has 4,096 characters', () => {
    const blockCounts = (words: number) =>
      [1, 2, 3, 4].map((count) => markdownBlocks()(`- ${'words '.repeat(words)}\n`.repeat(count)).length);
    expect(blockCounts(100)).toEqual([1, 1, 1, 2]);
    expect(blockCounts(300)).toEqual([1, 1, 2, 2]);
  });

  test('has the same space between its items in all its parts', () => {
    for (let count = 30; count < 80; count += 5) {
      const { html } = markdownBlocks()(items(count, '\n\n')).at(-1) ?? {};
      expect(html).toContain('<li>\n<p');
      expect(renderMarkdownHtml(items(count, '\n'))).not.toContain('<p');
    }
  });
});

/** What a block shows, with repeated lines and words as their number. */
const shown = ({ html, code }: MarkdownBlock) =>
  (code ? `${code.language}: ${code.pieces.join('')}` : html).replace(
    /((?:.*\n){1,4}?|\S+ )\1{2,}/g,
    (all, once) => `${all.length / once.length}× ${once}`,
  );

/** What the blocks of a text show. If it comes in parts, they are the same, for a short text at each step. */
function shownOf(text: string): readonly string[] {
  const blocksOf = markdownBlocks();
  const step = text.length > 200 ? 500 : 1;
  for (let end = 0; end < text.length; end += step) {
    const blocks = blocksOf(text.slice(0, end));
    if (step === 1) expect(blocks).toEqual(markdownBlocks()(text.slice(0, end)));
  }
  const blocks = markdownBlocks()(text);
  expect(blocksOf(text)).toEqual(blocks);
  expect(blocks.map(({ key }) => key)).toEqual([...blocks.keys()].map(String));
  return blocks.map(shown);
}

const p = (text: string) => `<p dir="auto">${text}</p>\n`;
const ul = (items: string) => `<ul dir="auto">\n<li>${items}</li>\n</ul>\n`;
const ol = (items: string, start = 1) =>
  `<ol ${start > 1 ? `start="${start}" ` : ''}dir="auto">\n<li>${items}</li>\n</ol>\n`;
const quote = (html: string) => `<blockquote dir="auto">\n${html}</blockquote>\n`;
const ts = (code: string, head = '<div><span>ts</span></div>') =>
  `<div class="code" dir="ltr">${head}<pre tabindex="0"><code>${code}</code></pre></div>\n`;
const table = (head: string, rows = '') =>
  `<div class="table" tabindex="0"><table dir="auto">\n<thead>\n<tr>\n<th>${head}</th>\n</tr>\n</thead>\n${rows && `<tbody>\n${rows}</tbody>\n`}</table></div>\n`;
const rows = (count: string, text: string) => `${count}<tr>\n<td>${text}</td>\n</tr>\n`;
const name = (name: string) =>
  `<a href="https://${name}.example" target="_blank" rel="noopener noreferrer">${name}</a>`;

test.each<[string, readonly string[]]>([
  ['a\n#b\n', [p('a\n#b')]],
  ['- #\n', [ul('\n<h1></h1>\n')]],
  ['a\n```ts\nb\n```\nc\n', [p('a'), 'ts: b\n', p('c')]],
  [
    `[a], [b] and [c]\n\n[a]: https://a.example\n'the\ntitle'\n[b]: https://b.example\n\n\`\`\`\nb\n`,
    [p(`${name('a').replace(' target', ' title="the\ntitle" target')}, ${name('b')} and [c]`), ': b\n'],
  ],
])('%j has the same blocks wherever it is cut', (text, blocks) => {
  expect(shownOf(text)).toEqual(blocks);
});

describe('what was divided', () => {
  const inList = `1. Do:\n\n    \`\`\`ts\n${'    let a;\n'.repeat(372)}`;
  test.each<[string, ...string[]]>([
    ['', 'let a;\n'],
    ['     let', 'let a;\n let'],
    ['   ```', 'let a;\n'],
    ['       ```\n   next\n', 'let a;\n', p('next')],
    ['        ```\n', 'let a;\n    ```\n'],
    // Only the end of a line shows what it is.
    ['After', 'let a;\n'],
    ['After *it*.\n', 'let a;\n', p('After <em>it</em>.')],
    ['  ```js\nb', 'let a;\n', 'js: b'],
    ['2. two\n', 'let a;\n', ol('two', 2)],
  ])('as code in a list ends as it does there: %j', (after, code, ...blocks) => {
    const list = ol(`\n<p>Do:</p>\n${ts('371× let a;\n')}`);
    expect(shownOf(inList + after)).toEqual([list, `ts: ${code}`, ...blocks]);
  });

  const inQuote = `> Do:\n>\`\`\`ts\n${'> let a;\n'.repeat(455)}`;
  test.each<[string, ...string[]]>([
    ['>let', 'let a;\nlet'],
    ['> ```', 'let a;\n'],
    ['>    ```\n> next\n', 'let a;\n', p('next')],
    ['>     ```\n', 'let a;\n    ```\n'],
    ['```js\nb', 'let a;\n', 'js: b'],
    [`> b${' >'.repeat(4200)}`, 'let a;\nb 4199× > >'],
  ])('as code in a quotation ends as it does there: %j', (after, code, ...blocks) => {
    const before = quote(p('Do:').replace(' dir="auto"', '') + ts('454× let a;\n'));
    expect(shownOf(inQuote + after)).toEqual([before, `ts: ${code}`, ...blocks]);
  });

  const a = 'a '.repeat(2500);
  const rowsOf1 = '| 1 |\n'.repeat(681);
  const ones = table('a', rows('681× ', '1'));
  test.each<[string, ...string[]]>([
    [`${'\n'.repeat(5000)}a`, p('a')],
    [`\n\n> ${a}\n> b\n`, quote('<p>2047× a a</p>\n'), p('451× a a\nb')],
    [`${'>\n'.repeat(2500)}> a\n`, quote('').replace('\n', ''), p('a')],
    [
      `> ${a}\n> b${' >'.repeat(4200)}`,
      quote('<p>2047× a a</p>\n'),
      p('451× a a\nb 2046× &gt; &gt;'),
      ...Array(2).fill('<blockquote dir="auto">\n98× <blockquote>\n<blockquote>100× </blockquote>\n'),
    ],
    [`${'* '.repeat(2100)}\n    c\n`, '<hr>\n', '<hr>\n', ts('c\n', '')],
    [`a\n${'*'.repeat(5000)} \nb\n`, p('a'), '<hr>\n', p('b')],
    [`> a\n${'*'.repeat(5000)} \n> b\n`, quote('<p>a</p>\n'), '<hr>\n', quote('<p>b</p>\n')],
    [`b\n- ${a}\n\n    c\n`, p('b'), ul('2047× a a'), p('451× a a'), ts('c\n', '')],
    [`-\n${'  a\n'.repeat(1025)}  b\n`, ul('1023× a\na'), p('a\nb')],
    [
      `1. a\n${'   - b\n'.repeat(600)}2. c\n`,
      ol('a\n<ul>\n585× <li>b</li>\n</ul>\n'),
      ul('b').replace('<li>', '15× <li>'),
      ol('c', 2),
    ],
    [`- -${'\n'.repeat(5000)}  a\n`, ul('\n<ul>\n<li></li>\n</ul>\n'), p('a')],
    // The code of the list has ended.
    [`- \`\`\`ts\n${'  let ab;\n'.repeat(408)}  \`\`\`\`\`\n  b\n`, ul(`\n${ts('408× let ab;\n')}`), p('b')],
    [
      `- > \`\`\`ts\n  > a\n${'\n'.repeat(4100)}  b\n`,
      ul(`\n<blockquote>\n${ts('a\n')}</blockquote>\n`),
      p('b'),
    ],
    // What is behind the mark is no code, or is code within a line.
    [`a:\n\`\`\`${'[1], '.repeat(1000)}\`\`\`\nb\n`, p('a:\n```818× [1], [1],'), p('181× [1], ```\nb')],
    [`~~~${a}\n`, p('~~~2046× a a'), p('452× a a')],
    [
      `\`\`\`\n${a}\`\`\`\n${'`'.repeat(4100)} a\n\`\`\`\nc\n`,
      `: 2500× a \`\`\`\n${'`'.repeat(4100)} a\n`,
      p('c'),
    ],
    // A table repeats its head, of up to 2,048 characters, if a row follows.
    [`| a |\n|---|\n${rowsOf1}`, ones, ''],
    [`| a |\n|---|\n${rowsOf1}\nend`, ones, '', p('end')],
    [`| a |\n|---|\n${rowsOf1}\n| b |\n|---|\n\nend\n`, ones, '', table('b'), p('end')],
    [`| a |\n|---|\n${rowsOf1}| ${a}|\n`, ones, table('a', rows('', '2047× a a')), p('452× a |')],
    [
      `| ${a.slice(0, 2036)}b |\n|---|\n${rowsOf1}`,
      table('1018× a b', rows('342× ', '1')),
      table('1018× a b', rows('339× ', '1')),
    ],
    [
      `| ${a.slice(0, 2036)}bc |\n|---|\n${rowsOf1}`,
      table('1018× a bc', rows('342× ', '1')),
      p('338× | 1 |\n| 1 |'),
    ],
  ])('is continued as if it was at the top level (%#)', (text, ...blocks) => {
    expect(shownOf(text)).toEqual(blocks);
  });

  test('is continued in 16 lists and quotations, one in the other', () => {
    const depths = markdownBlocks()(`${'> '.repeat(18)}${'word '.repeat(20)}\n`.repeat(640)).map(
      ({ html }) => html.match(/<blockquote/g)?.length,
    );
    expect(depths).toEqual([18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 2, 2]);
  });
});
