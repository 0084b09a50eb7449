import { describe, expect, test } from 'vitest';
import { CodePieces, piecesOf } from '../../../src/ui/markdown/code.ts';
import { containerOf } from '../../../src/ui/markdown/container.ts';
import { closesFence, codeLine, openFence } from '../../../src/ui/markdown/fence.ts';
import { renderMarkdownHtml } from '../../../src/ui/markdown/markdown.ts';
import { Segments, splitLines } from '../../../src/ui/markdown/segments.ts';

describe('a line', () => {
  test.each([
    ['```ts\n', { language: 'ts', mark: '```', indent: 0 }],
    ['   ~~~~ a`b\n', { language: 'a', mark: '~~~~', indent: 3 }],
    ['    ~~~', undefined],
    ['a ~~~', undefined],
    ['~~', undefined],
    ['```a```', undefined],
    ['', undefined],
  ])('%j begins the code %j', (line, fence) => {
    expect(openFence(line)).toEqual(fence && { ...fence, maxCloseIndent: 3 });
  });

  test.each([
    ['```', '```\n', true],
    ['```', '   ````` \t\n', true],
    ['```', '```', true],
    ['```', '    ```\n', false],
    ['```', '``` a\n', false],
    ['```', '```\na', false],
    ['```', '~~~\n', false],
    ['````', '```\n', false],
    ['```', '', false],
  ])('ends code that began with %j if it is %j: %s', (mark, line, ends) => {
    expect(closesFence(line, { language: '', mark, indent: 0, maxCloseIndent: 3 })).toBe(ends);
  });

  test.each([
    ['   a', ' a'],
    [' a', 'a'],
    ['a  ', 'a  '],
    ['\ta', '\ta'],
  ])('of code that began behind two spaces, %j, is %j', (line, code) => {
    expect(codeLine(line, { language: '', mark: '```', indent: 2, maxCloseIndent: 3 })).toBe(code);
  });

  test.each<[string, number | undefined, string, string | undefined]>([
    ['> a', 2, '>b', 'b'],
    ['   >a', 4, '  > b', 'b'],
    ['> a', 2, 'b > c', undefined],
    ['- a', 2, '  b', 'b'],
    ['- a', 2, ' \n', ' \n'],
    ['- a', 2, ' b  ', undefined],
    ['  12)   a', 8, '        b', 'b'],
    ['a - b', undefined, '', undefined],
    ['a > b', undefined, '', undefined],
    ['-     a', undefined, '', undefined],
    ['- ', undefined, '', undefined],
  ])('%j begins a list or a quotation of %s characters, in which %j is %j', (first, width, line, content) => {
    const container = containerOf(first);
    expect(container?.width).toBe(width);
    expect(container?.content(line)).toBe(content);
  });
});

/** The pieces in which a text is read. */
function piecesRead(text: string): readonly string[] {
  const segments = new Segments();
  segments.continue(text, {});
  const pieces: string[] = [];
  for (let next = segments.next(); next !== undefined; next = segments.next()) pieces.push(next);
  return [...pieces, segments.rest()];
}

describe('a long line', () => {
  const x = (count: number) => 'x'.repeat(count);
  test.each<[string, string, readonly number[]]>([
    ['that ends at the limit', `${x(4095)}\n${x(5)}`, [4096, 5]],
    ['with a space behind the limit', `${x(5000)} ${x(100)}\n`, [5001, 101, 0]],
    ['that ends behind the limit', `${x(5000)}\n${x(10)}`, [5001, 10]],
    ['with a space before the limit only', `${x(10)} ${x(6000)}`, [6011]],
    ['without a space', x(10_000), [8192, 1808]],
    ['with a character of two code units at the limit', `${x(8191)}🎉${x(10)}`, [8191, 12]],
    ['with such a character before', `🎉${x(8190)}${x(10)}`, [8192, 10]],
  ])('%s is read in pieces that depend on the text only', (_, text, lengths) => {
    expect(piecesRead(text).map(({ length }) => length)).toEqual(lengths);
    expect(piecesRead(text).join('')).toBe(text);
  });

  test('is one line, and so is what no line feed ends', () => {
    expect(splitLines('a\n\nbc')).toEqual(['a\n', '\n', 'bc']);
    expect(splitLines('')).toEqual([]);
  });
});

describe('code', () => {
  const line = `${'x'.repeat(99)}\n`;
  test.each<[string, string, readonly number[]]>([
    ['of a hundred lines', 'a\n'.repeat(100), [200]],
    ['of more lines', 'a\n'.repeat(101), [200, 2]],
    ['of long lines', line.repeat(100), [8200, 1800]],
    ['of a line of 8 KiB', `${'x'.repeat(8191)}\na`, [8192, 1]],
    ['of nothing', '', []],
  ])('%s has pieces that stay', (_, code, lengths) => {
    expect(piecesOf(code).map(({ length }) => length)).toEqual(lengths);
  });

  test('of one line that comes in parts is cut at 16 KiB, and what was given stays as it is', () => {
    const pieces = new CodePieces();
    for (const part of [8192, 8191, 1]) pieces.push('x'.repeat(part));
    const given = pieces.with('');
    pieces.push(`${'y'.repeat(8191)}\n`);
    expect(given.map(({ length }) => length)).toEqual([16384]);
    expect(pieces.with('rest').map(({ length }) => length)).toEqual([16384, 8192, 4]);
    // The parts of a line are one of the hundred lines.
    const parts = new CodePieces();
    for (const part of [...Array(98).fill('a\n'), 'x'.repeat(4096), 'x\n', 'b\n']) parts.push(part);
    expect(parts.with('rest')).toEqual([expect.stringMatching(/^(a\n){98}x{4097}\nb\n$/), 'rest']);
  });
});

test.each([
  ['[a](xhttps://example.com)', '<span title="xhttps://example.com">a</span>'],
  ['[a](http://example.com)', '<a href="http://example.com" target="_blank" rel="noopener noreferrer">a</a>'],
  ['https://example.com', '<p dir="auto">https://example.com</p>'],
  ['- [ ] a', '<li class="task">☐ a</li>'],
  ['- [x] a', '<li class="task">☑ a</li>'],
  ['- a [x] b', '<li>a [x] b</li>'],
  ['- **[x] a**', '<li><strong>[x] a</strong></li>'],
  ['- `[x] a`', '<li><code>[x] a</code></li>'],
  ['[a](https://example.com/data:b)', '<a href="https://example.com/data:b"'],
  ['[x] a', '<p dir="auto">[x] a</p>'],
  ['```{.ts}\na\n```', '<div><span>ts</span></div>'],
  ['```"a\nb\n```', '<div class="code" dir="ltr"><pre'],
])('%j is %j', (text, html) => {
  expect(renderMarkdownHtml(text)).toContain(html);
});
