import type { AcpErrorCode } from '../../../src/core/base/errors.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
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

/** What an agent does wrong. */
interface Fault {
  /** What it amounts to. */
  readonly kind: 'end' | 'too long' | 'silence' | 'not an answer' | 'harmless';
  /** Where it makes sense. */
  readonly points: readonly Point[];
  readonly happen: (moment: Moment) => unknown;
  /** Whether the agent goes on as if nothing had been. */
  readonly servesOn: boolean;
}

type Happen = Fault['happen'];

type Given = readonly [kind: Fault['kind'], points: readonly Point[], happen: Happen];
const fault = (...[kind, points, happen]: Given): Fault => ({ kind, points, happen, servesOn: false });
const servesOn = (...given: Given): Fault => ({ ...fault(...given), servesOn: true });

const everywhere = pointNames;
const beforeEnd = everywhere.filter((point) => point !== 'end');
const afterStart = beforeEnd.filter((point) => point !== 'start');
const inCalls = afterStart.filter((point) => point !== 'idle');
const inLongCalls = ['new', 'load', 'prompt', 'close'] as const;

const stderrTail = 'last words\n';
const halfALine = '{"jsonrpc":"2.0","method":"session/upd';
const tooLong = `${'x'.repeat(100_000)}\n`;
const garbage = 'Loading the model…\n{]\n42\n\n\u0000\u0001\n{"jsonrpc":"2.0"}\n';
const otherAnswer = '{"jsonrpc":"2.0","id":999,"result":{}}\n';
const errorWithoutId = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"I cannot read this."}}\n';

const exits = (exit: object) => (moment: Moment) => moment.wire.agent.exit({ ...exit, stderrTail });
const writes = (text: string) => (moment: Moment) => moment.wire.agent.write(text);
const does = (order: Order) => (moment: Moment) => moment.wire.order(order);
const inTurn =
  (...all: readonly Happen[]): Happen =>
  async (moment) => {
    for (const happen of all) await happen(moment);
  };
const answers = ({ answer }: Moment) => answer();
const closesOutput = ({ wire }: Moment) => wire.agent.end();
const killsGroup = ({ wire }: Moment) =>
  wire.order('exit', { signal: 'SIGKILL', stderrTail, withChildren: true });

/** What an agent does wrong, by what it does. In version 2 a prompt has its answer once it is accepted. */
export const faults: Readonly<Record<string, Fault>> = {
  'exits with code 1': fault('end', everywhere, exits({ exitCode: 1 })),
  'exits with code 0': fault('end', everywhere, exits({ exitCode: 0 })),
  'is killed': fault('end', everywhere, exits({ signal: 'SIGKILL' })),
  'is killed with its children': fault('end', beforeEnd, inTurn(killsGroup, closesOutput)),
  'leaves a child that holds its output': fault('end', everywhere, exits({ exitCode: 1 })),
  'closes its output': fault('end', everywhere, closesOutput),
  'sends half a line and exits': fault('end', everywhere, inTurn(writes(halfALine), exits({ exitCode: 1 }))),
  'sends a line that is too long': fault('too long', everywhere, writes(tooLong)),
  'hangs and ignores signals': fault('silence', everywhere, does('ignoreSignals')),
  'sends half a line': fault('silence', everywhere, writes(halfALine)),
  'closes its input': fault('silence', afterStart, does('closeInput')),
  'does not read': fault('silence', beforeEnd, does('stopReading')),
  'answers another request': servesOn('silence', inCalls, writes(otherAnswer)),
  'answers with an error without an id': servesOn('silence', inCalls, writes(errorWithoutId)),
  'answers after the call was abandoned': servesOn('silence', inLongCalls, ({ answerLate }) => answerLate()),
  'answers with neither result nor error': servesOn(
    'not an answer',
    ['initialize', ...inLongCalls],
    ({ wire, id }) => wire.agent.send({ jsonrpc: '2.0', id }),
  ),
  'writes garbage': servesOn('harmless', everywhere, inTurn(writes(garbage), answers)),
  'answers twice': servesOn('harmless', inLongCalls, inTurn(answers, answers)),
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
