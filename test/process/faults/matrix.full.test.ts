import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AcpError, type AgentExit } from '../../../src/core/base/errors.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { expectGenerated, table } from '../../package/docs/pages.ts';
import {
  expectedOutcome,
  faults,
  type Outcome,
  type Point,
  pointNames,
  points,
  type Row,
  rows,
} from './faults.ts';
import { givenUp, runFault, type Seen, type Settled } from './run-fault.ts';

const { setTimeout: setReal, clearTimeout: clearReal } = globalThis;

/** Notes the timers that the sources set, and gives what of them is still set. */
function watchTimers(): { live(): readonly string[]; stop(): void } {
  const live = new Map<unknown, Error>();
  const set = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = setReal(() => {
      live.delete(timer);
      callback(...args);
    }, ms);
    // Its stack is computed only when it is read.
    live.set(timer, new Error());
    return timer;
  };
  const clear = (timer?: NodeJS.Timeout | string | number) => {
    live.delete(timer);
    clearReal(timer);
  };
  // util.promisify and the types want more of the real ones than anybody here uses.
  globalThis.setTimeout = Object.assign(set, setReal) as unknown as typeof setTimeout;
  globalThis.clearTimeout = clear;
  return {
    live: () =>
      [...live.values()].flatMap(({ stack }) => {
        const by = stack?.split('\n').find((line) => line.includes('/src/'));
        return by ? [by.trim()] : [];
      }),
    stop() {
      globalThis.setTimeout = setReal;
      globalThis.clearTimeout = clearReal;
    },
  };
}

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
const timers = watchTimers();
const listenersBefore = listenerCounts();
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled);
});
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  timers.stop();
});

const results: Result[] = [];

/** The listeners that must go when the last agent has gone. */
function listenerCounts(): readonly number[] {
  return ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
}

function outcomeOf(settled: Settled): Outcome {
  if ('value' in settled) return 'resolves';
  if (settled.error === givenUp) return 'aborted';
  if (AcpError.is(settled.error)) return settled.error.code;
  throw settled.error;
}

function textOf({ entries }: Conversation): string {
  return entries
    .flatMap((entry) => (entry.kind === 'message' ? entry.content : []))
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('|');
}

/** What a conversation shows as still going on. */
function openIn({ entries, activity }: Conversation): readonly unknown[] {
  const open = entries.filter(
    (entry) =>
      entry.kind === 'toolCall' &&
      (entry.permission !== null || !['completed', 'failed', 'cancelled'].includes(entry.status)),
  );
  return activity.state === 'idle' ? open : [...open, activity];
}

/** What the editor must still find in the conversation. */
function saidBefore({ name, point }: Row): readonly string[] {
  const kind = faults[name]?.kind;
  if (point === 'load' && kind === 'harmless') return ['What was said before, all of it.'];
  const inTurn = point === 'turn' || point === 'permission' || point === 'cancel';
  if (!inTurn) return point === 'prompt' ? ['Welcome.', 'Write it.'] : ['Welcome.'];
  return [
    'Welcome.',
    'Write it.',
    kind === 'harmless' && point !== 'cancel' ? ' Working. Done.' : ' Working.',
  ];
}

describe.skipIf(process.platform === 'win32').concurrent('an agent that', () => {
  test.each(rows)('[reliability: faults] $name: $point ($dialect)', async (row) => {
    const { name, point } = row;
    const seen = await runFault(row);
    const { settled, conversation, nextCall, left } = seen;
    const outcome = outcomeOf(settled);
    results.push({ ...row, outcome, seen });
    expect(outcome).toBe(expectedOutcome(name, point));
    expect(left).toEqual([]);
    if (nextCall) expect(nextCall).toHaveProperty('value');
    if (conversation) {
      const said = textOf(conversation);
      for (const text of saidBefore(row)) expect(said).toContain(text);
      expect(openIn(conversation)).toEqual([]);
    }
    if (!('error' in settled) || settled.error === givenUp) return;
    const { message, ...error } = settled.error as AcpError & { exit?: AgentExit };
    // The value and what now: the method or the program is named, and what to do stands at the end.
    expect(message).toMatch(remedies[outcome] ?? /never/);
    if (name.startsWith('exits') || name.startsWith('is killed') || name.startsWith('leaves')) {
      expect(message).toContain('last words');
      expect(error.exit?.stderrTail ?? (settled.error as unknown as AgentExit).stderrTail).toContain(
        'last words',
      );
    }
  });
});

const remedies: Readonly<Partial<Record<Outcome, RegExp>>> = {
  'connection.closed': /Start the agent again\./,
  'agent.exit': /end of its stderr|run the same command in a terminal/,
  'protocol.message_too_large': /Raise maxLineBytes/,
  timeout: /longer timeoutMs|initializeIdleTimeoutMs/,
  'protocol.message': /neither a result nor a valid error/,
};

describe.skipIf(process.platform === 'win32')('after all of them', () => {
  test('no rejection went unhandled', () => {
    expect(unhandled).toEqual([]);
  });

  test('no timer and no listener is left', () => {
    expect(timers.live()).toEqual([]);
    expect(listenerCounts()).toEqual(listenersBefore);
  });

  test('the page says what was seen', (context) => {
    // With a filter on the tests there is only a part of it.
    if (results.length < rows.length) return context.skip();
    const page = 'docs/reliability.md';
    expectGenerated(page, 'points', pointsTable());
    expectGenerated(page, 'faults', outcomesTable(results));
    expectGenerated(page, 'messages', messagesTable(results));
  });
});

/** The word for each outcome, short enough for a table. */
const words: Readonly<Partial<Record<Outcome, string>>> = {
  resolves: '✓',
  aborted: 'aborted',
  'connection.closed': 'closed',
  'agent.exit': 'exit',
  timeout: 'timeout',
  'protocol.message': 'message',
  'protocol.message_too_large': 'too long',
};

interface Result extends Row {
  readonly outcome: Outcome;
  readonly seen: Seen;
}

/** What was seen of each fault at each point. */
function outcomesTable(results: readonly Result[]): string {
  const rows = Object.keys(faults).map((name) => {
    const cells = pointNames.map((point) => {
      const here = results.filter((result) => result.name === name && result.point === point);
      return [...new Set(here.map(({ outcome }) => words[outcome] ?? outcome))].join(' or ') || '–';
    });
    return [`${name}`, ...cells, rulesOf(results.filter((result) => result.name === name))];
  });
  return table(['The agent …', ...pointNames, 'diagnostics'], rows);
}

function rulesOf(results: readonly Result[]): string {
  const rules = new Set(results.flatMap(({ seen }) => seen.diagnostics.map(({ rule }) => rule)));
  return [...rules]
    .sort()
    .map((rule) => `\`${rule}\``)
    .join(' ');
}

/** What the editor waits for at each point. */
function pointsTable(): string {
  return table(
    ['point', 'what the editor waits for'],
    pointNames.map((point) => [point, points[point]]),
  );
}

/** One message of each kind, as it was seen. */
const examples: readonly (readonly [name: string, point: Point, outcome: Outcome, who: string])[] = [
  ['exits with code 1', 'turn', 'connection.closed', 'the user'],
  ['exits with code 1', 'initialize', 'agent.exit', 'the user'],
  ['hangs and ignores signals', 'new', 'timeout', 'you'],
  ['hangs and ignores signals', 'initialize', 'timeout', 'you'],
  ['sends a line that is too long', 'new', 'protocol.message_too_large', 'you'],
  ['answers with neither result nor error', 'new', 'protocol.message', "the agent's author"],
];

/** What the errors say, and who must act. */
function messagesTable(results: readonly Result[]): string {
  const rows = examples.map(([name, point, outcome, who]) => {
    // Whichever of the versions was done first, the page says the same.
    const [result] = results
      .filter((candidate) => candidate.name === name && candidate.point === point)
      .sort((a, b) => a.dialect.localeCompare(b.dialect));
    const settled = result?.seen.settled;
    const error = settled && 'error' in settled ? settled.error : undefined;
    const message = AcpError.is(error)
      ? error.message
          .replaceAll(process.execPath, 'agent')
          // On a slow machine the time was doubled.
          .replace(/within \d+ ms after/, 'within 1000 ms after')
      : '';
    return [words[outcome] ?? '', `\`${outcome}\``, point, who, message.replaceAll('\n', ' ⏎ ')];
  });
  return table(['', 'code', 'for example at', 'who must act', 'message'], rows);
}
