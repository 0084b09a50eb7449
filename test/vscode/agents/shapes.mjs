// The text of long answers, in pieces of the size that models send.

const words =
  'The parser reads a line, **keeps** what it has, and calls `next()` until the *end* of the input. '.split(
    /(?<= )/,
  );
const code = '  const value = compute(input, options); // a line of code\n'.split(/(?<= )/);
const item = '- an item with `code` and **weight**\n'.split(/(?<= )/);
const table =
  '\n\n| name | size | what it is |\n|---|---:|---|\n' +
  '| `parse` | 12 | reads a *line* |\n'.repeat(8) +
  '\n\n';

function* repeat(pieces) {
  for (;;) yield* pieces;
}

function* mixed() {
  for (let n = 1; ; n++) {
    yield `## Part ${n}\n\n`;
    for (let sentence = 0; sentence < 4; sentence++) yield* words;
    yield '\n\n';
    for (let count = 0; count < 5; count++) yield* item;
    yield '\n\n```js\n';
    for (let line = 0; line < 8; line++) yield* code;
    yield '```\n\n';
    yield* table.split(/(?<=\n)/);
  }
}

/**
 * The shapes of an answer: its pieces, without an end, and what stands before its last words. In `code` the block ends
 * before them. In the others they belong to the block that has grown.
 */
export const shapes = {
  mixed: { pieces: mixed, end: '\n\n' },
  code: {
    *pieces() {
      yield '```js\n';
      yield* repeat(code);
    },
    end: '\n```\n\n',
  },
  list: { pieces: () => repeat(item), end: '\n- ' },
  paragraph: { pieces: () => repeat(words), end: ' ' },
};
