import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffConversation } from '../../../src/core/conversation/diff.ts';
import { applyPatch } from '../../../src/core/conversation/patch.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { markdownBlocks, renderMarkdownHtml } from '../../../src/ui/markdown/markdown.ts';
import { markdownParser } from '../../../src/ui/markdown/parser.ts';
import { MarkdownReader } from '../../../src/ui/markdown/reader.ts';
import { emptyConversation, foldUpdate } from '../../support/fold-any.ts';
import { runs } from '../../support/runs.ts';

const joined = (blocks: readonly { readonly html: string }[]) => blocks.map(({ html }) => html).join('');

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

  test('has the words and the code that the parser finds in the whole text, also if blocks are divided', () => {
    const parser = markdownParser({});
    const fields = fc.record({
      mark: fc.constantFrom('', '- ', '1. ', '> '),
      first: fc.constantFrom('first', '```ts', '~~~~'),
      repeated: fc.array(fc.constantFrom('word', '`a` *b*', '- c', '> d', '# e', '```', '~~~~', ''), {
        minLength: 1,
        maxLength: 3,
      }),
      count: fc.constantFrom(1, 3, 500, 900),
      last: fc.constantFrom('', '```', '~~~~'),
      after: fc.constantFrom('', 'after', '\nafter'),
    });
    const part = fields.map(({ mark, first, repeated, count, last, after }) => {
      const lines = Array.from({ length: count }, (_, at) => repeated[at % repeated.length]);
      const inner = mark === '> ' ? mark : ' '.repeat(mark.length);
      return `${mark}${[first, ...lines, last].join(`\n${inner}`)}\n${after}\n\n`;
    });
    const saidIn = (html: string) => {
      const unnamed = html.replace(/<div><span>.*?<\/div>/g, '');
      const code = unnamed.match(/<code>[^<]*<\/code>/g)?.join('');
      return [unnamed, code].map((said) => said?.replace(/<[^>]*>|\s/g, ''));
    };
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 2 }), (parts) => {
        const text = parts.join('');
        expect(saidIn(renderMarkdownHtml(text))).toEqual(saidIn(parser.render(text)));
      }),
      { numRuns: 100 },
    );
  });

  test('is the same with the blocks of a conversation, whose texts are not compared', () => {
    fc.assert(
      fc.property(fc.array(markdown, { minLength: 1, maxLength: 8 }), (pieces) => {
        const blocksOf = markdownBlocks();
        let conversation: Conversation | undefined;
        let host = emptyConversation('s1');
        for (const text of pieces) {
          host = foldUpdate(host, {
            sessionUpdate: 'agent_message_chunk',
            messageId: 'm1',
            content: { type: 'text', text },
          });
          conversation = applyPatch(conversation, diffConversation(conversation, host));
          const [entry] = conversation.entries;
          const block = entry?.kind === 'message' ? entry.content[0] : undefined;
          if (block?.type !== 'text') continue;
          expect(joined(blocksOf(block.text, block))).toBe(renderMarkdownHtml(block.text));
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('is made into HTML where the HTML is read only', () => {
    const parser = markdownParser({});
    let parsed = 0;
    const { parse } = parser.inline;
    parser.inline.parse = (source, ...rest) => {
      parsed += source.length;
      parse.call(parser.inline, source, ...rest);
    };
    const blocks = new MarkdownReader(parser, {}).read('Some *text*.\n\n'.repeat(1000), {}) ?? [];
    expect(blocks).toHaveLength(1000);
    expect(blocks.at(-1)?.html).toBe('<p dir="auto">Some <em>text</em>.</p>\n');
    expect(parsed).toBe('Some *text*.'.length);
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
      const drawn = new Set<string>();
      for (const name of list) {
        text += `[${name}]: https://a.example/${name}\n\nnext\n\n`;
        drawn.add(blocksOf(text)[0]?.html ?? '');
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
    let parsed = 0;
    const { parse } = parser.block;
    parser.block.parse = (source, ...rest) => {
      parsed += source.length;
      parse.call(parser.block, source, ...rest);
    };
    const reader = new MarkdownReader(parser, {});
    const step = 400;
    for (let end = step; end < text.length; end += step) reader.read(text.slice(0, end), {});
    const blocks = reader.read(text, {}) ?? [];
    // Each step parses what is open twice: 8 KB, and a piece of a long line.
    expect(parsed).toBeLessThan((text.length / step) * 2 * (8192 + 4096) + 10 * text.length);
    expect(joined(blocks)).toBe(renderMarkdownHtml(text));
    expect(Math.max(...blocks.map(({ code, html }) => (code ? 0 : html.length)))).toBeLessThan(
      text.length / 2,
    );
  });
});

describe('a list', () => {
  const items = (count: number, end: string) => `- an item with **some** text${end}`.repeat(count);

  test('is divided before the item before its last one, when it has 1,024 characters', () => {
    const blocks = markdownBlocks()(items(100, '\n'));
    const counts = blocks.map(({ html }) => html.match(/<li/g)?.length);
    // 36 items have 1,044 characters.
    expect(counts).toEqual([34, 34, 32]);
    const [, ...after] = markdownBlocks()(`${'words '.repeat(600)}\n\n${items(100, '\n')}`);
    expect(after.map(({ html }) => html)).toEqual(blocks.map(({ html }) => html));
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

  describe('is divided in the same places wherever the text is cut', () => {
    const expectSame = (text: string, step: number) => {
      const blocksOf = markdownBlocks();
      for (let end = step; end < text.length; end += step) blocksOf(text.slice(0, end));
      const wanted = markdownBlocks()(text);
      expect(blocksOf(text).map(({ html }) => html)).toEqual(wanted.map(({ html }) => html));
    };

    test('after a paragraph of any length', () => {
      for (let count = 0; count < 120; count += 12) {
        expectSame(`${'some words in a line of a paragraph\n'.repeat(count)}\n${items(100, '\n')}`, 100);
      }
    });

    test('among other blocks', () => {
      const length = fc.integer({ min: 100, max: 900 });
      const mark = fc.constantFrom('- ', '1. ', '  ', '> ', '', '\n', '\n- ');
      const line = fc.tuple(mark, length).map(([start, count]) => `${start}${'word '.repeat(count / 5)}\n`);
      const shortItems = fc.integer({ min: 1, max: 90 }).map((count) => items(count, '\n'));
      const texts = fc.array(fc.oneof(line, shortItems), { minLength: 5, maxLength: 40 });
      fc.assert(
        fc.property(texts, length, (lines, step) => expectSame(lines.join(''), step)),
        { numRuns: 12 },
      );
    });
  });
});

test('code in a list and in a quotation stays code after it was divided, and ends with them', () => {
  for (const name of ['code in a list', 'code in a quotation'] as const) {
    const blocksOf = markdownBlocks();
    const before = blocksOf(giants[name]);
    expect(before.map(({ code }) => code?.language ?? '')).toEqual(['', 'ts']);
    expect(before[1]?.code?.pieces[0]).toMatch(/^(?:const value = compute\(input\);\n)+$/);
    // Only the end of a line shows what it is.
    expect(blocksOf(`${giants[name]}After`)).toEqual(before);
    const after = blocksOf(`${giants[name]}After *it*.\n`);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ code: null, html: '<p dir="auto">After <em>it</em>.</p>\n' });
  }
});

test('a table that is divided repeats its head', () => {
  const blocks = markdownBlocks()(giants['a table']);
  expect(blocks.length).toBeGreaterThan(10);
  for (const { html } of blocks) expect(html).toMatch(/<thead>\n<tr>\n<th>a<\/th>[\s\S]*<td>one<\/td>/);
});
