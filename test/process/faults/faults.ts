import type { AcpErrorCode } from '../../../src/base/errors.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';

/** Where in the life of a connection something goes wrong, and what the editor waits for there. */
export const points = {
  start: '`connect`, before the agent reads its input',
  initialize: '`connect`, before it answers',
  idle: 'nothing',
  new: '`newSession`',
  load: '`loadSession`, in the replay',
  prompt: '`prompt`, before it is accepted',
  turn: '`prompt`, in the turn',
  permission: '`prompt`, while a permission request is open',
  cancel: '`cancel`, and the turn',
  close: '`session.close`',
  end: '`connection.close`',
} as const;

export type Point = keyof typeof points;

export const pointNames = Object.keys(points) as readonly Point[];

/** How the call of the editor settles. `aborted`: the editor aborted it, because the agent never answers. */
export type Outcome = 'resolves' | 'aborted' | AcpErrorCode;

interface Fault {
  /** What it amounts to. */
  readonly kind: 'end' | 'too long' | 'silence' | 'not an answer' | 'harmless';
  /** Where it makes sense. */
  readonly points: readonly Point[];
}

const everywhere = pointNames;
const afterStart = everywhere.filter((point) => point !== 'start');
const inCalls = afterStart.filter((point) => point !== 'idle' && point !== 'end');
/** Where the request that is under way is still to be answered. In version 2 a prompt is, once it is accepted. */
const unanswered = ['initialize', 'new', 'load', 'prompt', 'close'] as const;

/** What an agent does wrong, by what it does. */
export const faults: Readonly<Record<string, Fault>> = {
  'exits with code 1': { kind: 'end', points: everywhere },
  'exits with code 0': { kind: 'end', points: everywhere },
  'is killed': { kind: 'end', points: everywhere },
  'is killed with its children': { kind: 'end', points: everywhere.filter((point) => point !== 'end') },
  'leaves a child that holds its output': { kind: 'end', points: everywhere },
  'closes its output': { kind: 'end', points: everywhere },
  'sends half a line and exits': { kind: 'end', points: everywhere },
  'sends a line that is too long': { kind: 'too long', points: everywhere },
  'hangs and ignores signals': { kind: 'silence', points: everywhere },
  'sends half a line': { kind: 'silence', points: everywhere },
  'closes its input': { kind: 'silence', points: afterStart.filter((point) => point !== 'end') },
  'does not read': { kind: 'silence', points: everywhere.filter((point) => point !== 'end') },
  'answers another request': { kind: 'silence', points: inCalls },
  'answers with an error without an id': { kind: 'silence', points: inCalls },
  'answers after the call was abandoned': { kind: 'silence', points: ['new', 'load', 'prompt', 'close'] },
  'answers with neither result nor error': { kind: 'not an answer', points: unanswered },
  'writes garbage': { kind: 'harmless', points: everywhere },
  'answers twice': { kind: 'harmless', points: ['new', 'load', 'prompt', 'close'] },
};

const turns: ReadonlySet<Point> = new Set(['prompt', 'turn', 'permission', 'cancel']);

/** What the editor gets. */
export function expectedOutcome(name: string, point: Point): Outcome {
  const kind = faults[name]?.kind;
  if (point === 'end' || kind === 'harmless') return 'resolves';
  if (kind === 'too long') return 'protocol.message_too_large';
  if (kind === 'not an answer') return 'protocol.message';
  if (kind === 'silence') {
    // What is wrong with the input shows when something is written, and then the agent is stopped.
    if (point === 'idle' && name === 'closes its input') return 'connection.closed';
    return turns.has(point) ? 'aborted' : 'timeout';
  }
  return point === 'start' || point === 'initialize' ? 'agent.exit' : 'connection.closed';
}

export interface Row {
  readonly name: string;
  readonly point: Point;
  readonly dialect: DialectName;
}

/** Every fault at every point where it makes sense, the turns in both versions, the rest in turns. */
export const rows: readonly Row[] = Object.entries(faults).flatMap(([name, fault], n) =>
  fault.points.flatMap((point, m): Row[] => {
    const both: DialectName[] = ['v1', 'v2-baseline'];
    const dialects = turns.has(point) ? both : [both[(n + m) % 2] ?? 'v1'];
    return dialects.map((dialect) => ({ name, point, dialect }));
  }),
);
