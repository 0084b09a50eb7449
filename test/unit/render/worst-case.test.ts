import { expect, test } from 'vitest';
import type { Entry } from '../../../src/model/conversation.ts';
import { renderHtml } from '../../../src/render/html.ts';
import { renderMarkdown } from '../../../src/render/markdown.ts';
import { renderText } from '../../../src/render/text.ts';
import { conversation, message, text, toolCall } from './example.ts';
import { saying } from './hostile.ts';

/**
 * The renderers take linear time and constant stack for any input. A quadratic step takes more than the time limit for a
 * million lines. V8 overflows the stack of a regular expression at less than 9 million repetitions.
 */
const renderers = [renderText, renderMarkdown, renderHtml];

const megabytes = (count: number, piece: string) => piece.repeat((count * 2 ** 20) / piece.length);

function changing(oldText: string | null, newText: string): Entry {
  const change = { operation: 'modify', path: '/a', oldText, newText };
  return toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
}

function patching(patch: string): Entry {
  const changes = [{ operation: 'modify', path: '/a' }];
  return toolCall({ content: [{ type: 'diff', changes, patch: { format: 'git_patch', text: patch } }] });
}

test.each<readonly [input: string, entry: () => Entry]>([
  ['a message of a million lines', () => message('agent', text(megabytes(2, 'a\n')))],
  ['a message of half a million fences', () => message('agent', text(megabytes(2, '```\n')))],
  ['a patch of a million lines without hunks', () => patching(`diff --git a b\n${megabytes(2, 'a\n')}`)],
  ['a patch of a million changed lines', () => patching(`@@\n${megabytes(2, '+\n-\n')}`)],
  ['a file of a million lines that is replaced', () => changing(megabytes(2, 'a\n'), megabytes(2, 'b\n'))],
  ['a line of 10 MB that changes', () => changing(megabytes(10, 'a'), `${megabytes(10, 'a')}b`)],
  [
    'output of a million lines',
    () => toolCall({ content: [{ type: 'content', content: text(megabytes(2, 'a\n')) }] }),
  ],
])('renders %s', (_, entry) => {
  const entries = [entry()];
  for (const render of renderers) {
    expect(render(conversation({ entries }))).toMatch(/\n$/);
  }
});

test.each(['`', ' ', '#', '>', '<', '\r', '\x1b[', 'word '])(
  'renders a line of 10 MB of %j in a message',
  (piece) => {
    const entries = [message('agent', text(`x${megabytes(10, piece)}x`))];
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

test.each(pieces)('renders 8 KB of %j in every field', (piece) => {
  const said = saying(piece.repeat(2 ** 13 / piece.length));
  for (const render of renderers) expect(render(said)).not.toBe('');
});
