import { expect, test } from 'vitest';
import { preview } from '../../../src/core/base/diagnostic.ts';
import { lastLines, printable, shortened } from '../../../src/core/base/printable.ts';
import { agentText, remoteReason } from '../../../src/core/base/remote-reason.ts';
import { secretsInUrl, withoutQueryValues, withoutUrlCredentials } from '../../../src/core/base/secrets.ts';
import type { ConversationEntry } from '../../../src/core/model/conversation.ts';
import { clean, cleanLine, plainText } from '../../../src/core/render/clean.ts';
import { columnsOf } from '../../../src/core/render/columns.ts';
import { diffHtml, renderHtml } from '../../../src/core/render/html.ts';
import { wrapLines } from '../../../src/core/render/lines.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { patchSections } from '../../../src/core/render/patch-sections.ts';
import { terminalSpans } from '../../../src/core/render/spans.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { changedLines } from '../../../src/core/render/unified-diff.ts';
import { redact } from '../../../src/core/trace/redact.ts';
import { shorten } from '../../../src/core/trace/shorten.ts';
import { readRecord } from '../../../src/core/trace/traffic.ts';
import { describeBody, isHtml } from '../../../src/core/transport/http/http-answers.ts';
import { parseJsonWithComments } from '../../../src/node/files/mcp-config.ts';
import { explain, withoutCall } from '../../../src/programs/cli/errors.ts';
import { LiveTranscript } from '../../../src/programs/cli/live.ts';
import { fitTable, toJson } from '../../../src/programs/cli/print.ts';
import { linkOf, webAddress } from '../../../src/ui/panel/places.ts';
import { insidePath, isUriInside, linkedFile, localPath } from '../../../src/ui/panel/workspace.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { conversation, message, text, toolCall } from '../../unit/render/example.ts';
import { megabytes, renderers, saying } from '../../unit/render/hostile.ts';

const folders = ['/home/user/project'];

/** Shows a message that grows once, as a turn of the command line does. */
function showTurn(width: number): (said: string) => unknown {
  return (said) => {
    const shown = conversation({ entries: [message('agent', text(`${said} d`))] });
    const live = new LiveTranscript({ color: false, width, isLineOpen: false, async result() {} });
    const [{ key = '' } = {}] = shown.entries;
    const parts = [said, ' d'].map(
      (part) => ({ type: 'text', key, messageId: null, origin: 'live', text: part }) as const,
    );
    live.follow({
      conversation: shown,
      onEvent: (listener) => {
        parts.forEach(listener);
        return () => {};
      },
    });
    return live.finish(shown);
  };
}

/** The functions that take text of an agent, a server or a page, by what they do. */
const textFunctions: Readonly<Record<string, (said: string) => unknown>> = {
  'text of a conversation': (said) => renderText(saying(said)),
  'text in 80 columns': (said) => renderText(saying(said), { width: 80 }),
  'text in colors': (said) => renderText(saying(said), { width: 80, color: true }),
  'Markdown of a conversation': (said) => renderMarkdown(saying(said)),
  'HTML of a conversation': (said) => renderHtml(saying(said)),
  'a turn of the command line': showTurn(80),
  'a turn that is no terminal': showTurn(Number.POSITIVE_INFINITY),
  'JSON of the command line': toJson,
  'a table of the command line': (said) => fitTable([[said, said]], 80),
  'an error of the command line': (said) => explain(new Error(said)),
  'the message of an error': withoutCall,
  'wrapped lines': (said) => wrapLines(said, 80),
  'columns of a text': columnsOf,
  'clean text': clean,
  'a clean line': cleanLine,
  'plain text': plainText,
  'printable text': printable,
  'a shortened text': (said) => shortened(said, 200),
  'the last lines': lastLines,
  'a preview': preview,
  'the text of an error': (said) => agentText(said, said),
  'the reason of an error': (said) => remoteReason({ details: said }),
  'the body of an answer': describeBody,
  'whether an answer is a page': isHtml,
  'an address without credentials': withoutUrlCredentials,
  'an address without its query': withoutQueryValues,
  'secrets in an address': secretsInUrl,
  'a link to a file': (said) => linkedFile(said, folders[0] ?? '', folders),
  'a path': (said) => insidePath(said, folders),
  'a local path': (said) => localPath(said, folders),
  'an address of a file': (said) => isUriInside(`file://${said}`, folders),
  'the address of a page': webAddress,
  'a link of a message': (said) => linkOf(said, { conversation: saying(said) }),
  'a configuration with comments': parseJsonWithComments,
  'a record of a trace': readRecord,
  'a trace without secrets': (said) => redact({ method: said, params: { text: said } }),
  'a shortened trace': (said) => shorten({ text: said }, 200),
  'the diff of two texts': (said) => changedLines(said, `${said}x`),
  'a patch': patchSections,
  'HTML of a patch': (said) => diffHtml(patchSections(said).flatMap(({ lines }) => lines)),
  'output of a terminal': terminalSpans,
};

test.each(['`', ' ', '#', '>', '<', '\r', '\x1b[', 'word '])(
  'renders a line of 16 MB of %j in a message',
  (piece) => {
    const entries = [message('agent', text(`x${megabytes(16, piece)}x`))];
    for (const render of renderers) expect(render(conversation({ entries }))).toContain('x');
  },
);

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
  'open fences with a language': (length) => '~~~ a\n'.repeat(length / 6),
  'list items': (length) => '- ['.repeat(length / 3),
  'items of a list': (length) => '- [ ] a\n'.repeat(length / 8),
  links: (length) => ']('.repeat(length / 2),
  headings: (length) => '# \n'.repeat(length / 3),
  heading: (length) => '#'.repeat(length),
  quotations: (length) => '> '.repeat(length / 2),
  'columns of a table': (length) => '|-'.repeat(length / 2),
  ampersands: (length) => '&'.repeat(length),
  hunks: (length) => '@@ -1 +1 @@\n'.repeat(length / 12),
  'files of a patch': (length) => 'diff --git \n--- a\n+++ b\n'.repeat(length / 24),
  'changed lines': (length) => '+\n-\n'.repeat(length / 4),
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
  600_000,
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
