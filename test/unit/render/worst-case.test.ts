import { expect, test } from 'vitest';
import type { Entry } from '../../../src/model/conversation.ts';
import { renderHtml } from '../../../src/render/html.ts';
import { renderMarkdown } from '../../../src/render/markdown.ts';
import { renderText } from '../../../src/render/text.ts';
import { conversation, message, text, toolCall } from './example.ts';
import { saying } from './hostile.ts';

/**
 * The renderers take linear time and constant stack for any input. A quadratic step or a regular expression that
 * overflows the stack fails these tests by their time limit or by an error, at ten times the time they need.
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
  ['a message of 8 million lines', () => message('agent', text(megabytes(16, 'a\n')))],
  ['a message of a million fences', () => message('agent', text(megabytes(4, '```\n')))],
  ['a patch of 8 million lines without hunks', () => patching(`diff --git a b\n${megabytes(16, 'a\n')}`)],
  ['a patch of 2 million changed lines', () => patching(`@@\n${megabytes(4, '+\n-\n')}`)],
  ['a file of 2 million lines that is replaced', () => changing(megabytes(4, 'a\n'), megabytes(4, 'b\n'))],
  ['a line of 16 MB that changes', () => changing(megabytes(16, 'a'), `${megabytes(16, 'a')}b`)],
  [
    'output of 8 million lines',
    () => toolCall({ content: [{ type: 'content', content: text(megabytes(16, 'a\n')) }] }),
  ],
])('renders %s', (_, entry) => {
  const entries = [entry()];
  for (const render of renderers) {
    expect(render(conversation({ entries }))).toMatch(/\n$/);
  }
});

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
