import { expect, test } from 'vitest';
import type { ConversationEntry } from '../../../src/core/model/conversation.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { conversation, message, text, toolCall } from '../../unit/render/example.ts';
import { megabytes, renderers, saying } from '../../unit/render/hostile.ts';
import { textFunctions } from '../text-functions.ts';

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

/** Texts of a length that lead expressions and loops to look at the same characters again and again. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  spaces: (length) => `a${' '.repeat(length)}b c`,
  tabs: (length) => `a${'\t'.repeat(length)}b c`,
  'line ends': (length) => `a${'\n'.repeat(length)}b c`,
  'words and spaces at the end': (length) => `${'a '.repeat(length / 2)}!`,
  'spaces and dots at the end': (length) => `a${' .'.repeat(length / 2)}!`,
  'a number without an end': (length) => `${'1'.repeat(length)}x`,
  'lines of a link': (length) => `a${'#L1-'.repeat(length / 4)}x`,
  'columns of a link': (length) => `a${':1'.repeat(length / 2)}x`,
  'parts of a path': (length) => '/a'.repeat(length / 2),
  'folders above': (length) => '../'.repeat(length / 3),
  'escaped characters of an address': (length) => 'http://a/%2e%2f'.padEnd(length, '%2e'),
  'users of an address': (length) => 'http://a@'.repeat(length / 9),
  'password of an address': (length) => `http://${'a:'.repeat(length / 2)}`,
  'query of an address': (length) => `http://a/?${'a=&'.repeat(length / 3)}`,
  'open JSON': (length) => '{"message":"'.padEnd(length, '\\"'),
  'JSON in JSON': (length) => '{"a":'.repeat(length / 5),
  'open comments': (length) => '/*'.repeat(length / 2),
  'open tags': (length) => '<!--<'.repeat(length / 5),
  'title of a page': (length) => '<title>'.repeat(length / 7),
  emphasis: (length) => '**a '.repeat(length / 4),
  'code in a line': (length) => '`a'.repeat(length / 2),
  'open code': (length) => '`'.repeat(length),
  fences: (length) => '```\n'.repeat(length / 4),
  'list items': (length) => '- ['.repeat(length / 3),
  headings: (length) => '# \n'.repeat(length / 3),
  heading: (length) => '#'.repeat(length),
  quotations: (length) => '> '.repeat(length / 2),
  'columns of a table': (length) => '|-'.repeat(length / 2),
  ampersands: (length) => '&'.repeat(length),
  hunks: (length) => '@@ -1 +1 @@\n'.repeat(length / 12),
  'escape sequences': (length) => '\x1b['.repeat(length / 2),
  'parameters of an escape sequence': (length) => `\x1b[${'1;'.repeat(length / 2)}`,
  'open titles of a terminal': (length) => '\x1b]'.repeat(length / 2),
  'device control strings': (length) => '\x1bP'.repeat(length / 2),
  backspaces: (length) => 'a\b'.repeat(length / 2),
  'carriage returns': (length) => 'ab\r'.repeat(length / 3),
  'emoji that are joined': (length) => '\u{1F468}\u200d'.repeat(length / 3),
  'tag characters': (length) => `\u{1F3F4}${'\u{E0067}'.repeat(length / 2)}`,
  'reversed text': (length) => '\u202e'.repeat(length),
  accents: (length) => `e${'\u0301'.repeat(length)}`,
  'wide characters': (length) => '\u4e2d'.repeat(length),
};

/** What is quadratic takes four times as much for twice the text. Less than `moreMs` can be by chance. */
const length = 24_000;
const maxGrowth = 3;
const moreMs = 50;
const maxRounds = 5;

function cpuMsOf(take: (text: string) => unknown, said: string): number {
  const before = cpuMs();
  try {
    take(said);
  } catch {
    // Some refuse the text. That takes time as well.
  }
  return cpuMs() - before;
}

/** Why a function is not linear for a shape. */
function growth(take: (text: string) => unknown, shape: (length: number) => string): string | undefined {
  const rounds: string[] = [];
  while (rounds.length < maxRounds) {
    const once = cpuMsOf(take, shape(length));
    const twice = cpuMsOf(take, shape(2 * length));
    if (twice <= maxGrowth * once + moreMs) return undefined;
    rounds.push(`${once.toFixed()} → ${twice.toFixed()} ms`);
  }
  return rounds.join(', ');
}

test.each(Object.entries(textFunctions))(
  '[security: linear-time] %s takes at most three times the CPU time for twice the text, whatever it is',
  (_name, take) => {
    const slow = Object.entries(shapes).map(([name, shape]) => [name, growth(take, shape)] as const);
    expect(slow.filter(([, found]) => found !== undefined)).toEqual([]);
  },
);

function changing(oldText: string | null, newText: string): ConversationEntry {
  const change = { operation: 'modify', path: '/a', oldText, newText };
  return toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
}

function patching(patch: string): ConversationEntry {
  const changes = [{ operation: 'modify', path: '/a' }];
  return toolCall({ content: [{ type: 'diff', changes, patch: { format: 'git_patch', text: patch } }] });
}

test.each<readonly [input: string, entry: () => ConversationEntry]>([
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
    expect(render(conversation({ entries })).endsWith('\n')).toBe(true);
  }
});
