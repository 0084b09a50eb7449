import type { AcpErrorCode } from '../../../src/base/errors.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import type { Order, ProgramWire } from '../../support/transports/stdio.ts';

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

/** The agent when it goes wrong. */
interface Moment {
  readonly wire: ProgramWire;
  /** The request that is due, if one is. */
  readonly id: string | number;
  /** Gives its answer. Without a call it is left open. */
  answer(): void;
  /** Answers when the client calls the request off. */
  answerLate(): void;
}

interface Fault {
  /** What it amounts to. */
  readonly kind: 'end' | 'too long' | 'silence' | 'not an answer' | 'harmless';
  /** Where it makes sense. */
  readonly points: readonly Point[];
  readonly happen: (moment: Moment) => unknown;
  /** Whether the agent goes on as if nothing had been. */
  readonly servesOn?: boolean;
}

const everywhere = pointNames;
const beforeEnd = everywhere.filter((point) => point !== 'end');
const afterStart = beforeEnd.filter((point) => point !== 'start');
const inCalls = afterStart.filter((point) => point !== 'idle');
const inLongCalls = ['new', 'load', 'prompt', 'close'] as const;

const stderrTail = 'last words\n';
const halfALine = '{"jsonrpc":"2.0","method":"session/upd';
const garbage = 'Loading the model…\n{]\n42\n\n\u0000\u0001\n{"jsonrpc":"2.0"}\n';

type Happen = Fault['happen'];
const exits =
  (exitCode: number): Happen =>
  ({ wire }) =>
    wire.agent.exit({ exitCode, stderrTail });
const writes =
  (text: string): Happen =>
  ({ wire }) =>
    wire.agent.write(text);
const does =
  (name: Order): Happen =>
  ({ wire }) =>
    wire.order(name);

/** What an agent does wrong, by what it does. In version 2 a prompt has its answer once it is accepted. */
export const faults: Readonly<Record<string, Fault>> = {
  'exits with code 1': { kind: 'end', points: everywhere, happen: exits(1) },
  'exits with code 0': { kind: 'end', points: everywhere, happen: exits(0) },
  'is killed': {
    kind: 'end',
    points: everywhere,
    happen: ({ wire }) => wire.agent.exit({ signal: 'SIGKILL', stderrTail }),
  },
  'is killed with its children': {
    kind: 'end',
    points: beforeEnd,
    async happen({ wire }) {
      await wire.order('exit', { signal: 'SIGKILL', stderrTail, withChildren: true });
      wire.agent.end();
    },
  },
  'leaves a child that holds its output': { kind: 'end', points: everywhere, happen: exits(1) },
  'closes its output': { kind: 'end', points: everywhere, happen: ({ wire }) => wire.agent.end() },
  'sends half a line and exits': {
    kind: 'end',
    points: everywhere,
    happen({ wire }) {
      wire.agent.write(halfALine);
      wire.agent.exit({ exitCode: 1, stderrTail });
    },
  },
  'sends a line that is too long': {
    kind: 'too long',
    points: everywhere,
    happen: writes(`${'x'.repeat(100_000)}\n`),
  },
  'hangs and ignores signals': { kind: 'silence', points: everywhere, happen: does('ignoreSignals') },
  'sends half a line': { kind: 'silence', points: everywhere, happen: writes(halfALine) },
  'closes its input': { kind: 'silence', points: afterStart, happen: does('closeInput') },
  'does not read': { kind: 'silence', points: beforeEnd, happen: does('stopReading') },
  'answers another request': {
    kind: 'silence',
    points: inCalls,
    happen: writes('{"jsonrpc":"2.0","id":999,"result":{}}\n'),
    servesOn: true,
  },
  'answers with an error without an id': {
    kind: 'silence',
    points: inCalls,
    happen: writes('{"jsonrpc":"2.0","error":{"code":-32700,"message":"I cannot read this."}}\n'),
    servesOn: true,
  },
  'answers after the call was abandoned': {
    kind: 'silence',
    points: inLongCalls,
    happen: ({ answerLate }) => answerLate(),
    servesOn: true,
  },
  'answers with neither result nor error': {
    kind: 'not an answer',
    points: ['initialize', ...inLongCalls],
    happen: ({ wire, id }) => wire.agent.send({ jsonrpc: '2.0', id }),
    servesOn: true,
  },
  'writes garbage': {
    kind: 'harmless',
    points: everywhere,
    happen({ wire, answer }) {
      wire.agent.write(garbage);
      answer();
    },
    servesOn: true,
  },
  'answers twice': {
    kind: 'harmless',
    points: inLongCalls,
    happen({ answer }) {
      answer();
      answer();
    },
    servesOn: true,
  },
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
