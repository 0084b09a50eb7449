import { AcpError } from '../../../src/core/base/errors.ts';
import { table } from '../../package/docs/pages.ts';
import { faults, type Outcome, type Point, pointNames, points, type Row } from './faults.ts';
import type { Seen } from './run-fault.ts';

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

export interface Result extends Row {
  readonly outcome: Outcome;
  readonly seen: Seen;
}

/** What was seen of each fault at each point. */
export function outcomesTable(results: readonly Result[]): string {
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
export function pointsTable(): string {
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
export function messagesTable(results: readonly Result[]): string {
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
