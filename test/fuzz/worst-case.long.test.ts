import { expect, test } from 'vitest';
import { conversation, message, text } from '../unit/render/example.ts';
import { megabytes, renderers, saying } from '../unit/render/hostile.ts';

test.each(['`', ' ', '#', '>', '<', '\r', '\x1b[', 'word '])(
  'renders a line of 16 MB of %j in a message',
  (piece) => {
    const entries = [message('agent', text(`x${megabytes(16, piece)}x`))];
    for (const render of renderers) expect(render(conversation({ entries }))).toContain('x');
  },
);

const pieces = [
  ...[
    'a\n',
    '\n',
    ' ',
    '`',
    '`a\n',
    '```\n',
    '````\n',
    '~~~ a\n',
    '#',
    '# a\n',
    '- [ ] a\n',
    '- ',
    '-\n',
    '1. ',
  ],
  ...['*', '**a', '**a ', '_', '<', '<a', '&', '"', '[', '](', '] :', '![', '> ', '>', '=', '|', '|-', '\\'],
  ...[
    '+\n-\n',
    '@@\n',
    'diff --git \n',
    'index ',
    '--- a\n+++ b\n',
    '\r',
    '\x1b',
    '\x1b[',
    '\x1b[0',
    '\x1b]',
  ],
  ...['\x1b[m', '\x1b[38;2;1', '38;2;1;', '\x9b', '\u202e', '\u2028', 'word ', '{', 'é'],
];

test.each(pieces)('renders 16 KB of %j in every field', (piece) => {
  const said = saying(piece.repeat(2 ** 14 / piece.length));
  for (const render of renderers) expect(render(said)).not.toBe('');
});
