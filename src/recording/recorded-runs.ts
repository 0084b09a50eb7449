import { isJsonObject } from '../base/json.ts';
import type { DialectName } from '../protocol/dialect.ts';
import { dialectNamed, negotiate } from '../protocol/negotiate.ts';
import { readChannelNote } from '../trace/channel-note.ts';
import { type RecordedEnd, readEndMark } from '../trace/ended.ts';
import { type Step, sessionIdOf } from './recorded-agent.ts';
import { type Opening, openingOf } from './recorded-calls.ts';

/** One run of a recorded agent: from one `initialize` request to the next one. */
export interface RecordedRun {
  /** The messages in order, without the end mark. The first one is the `initialize` request. */
  readonly steps: readonly Step[];
  /** The index of the answer to `initialize`. Absent where the agent did not answer. */
  readonly answer: number | undefined;
  /** What the agent spoke, if that is known. */
  readonly dialect: DialectName | undefined;
  /** Whether the dialect is assumed, because the recording does not hold it. */
  readonly isAssumed: boolean;
  /** How the agent ended. Absent where the client ended the connection, and where the recording ends first. */
  readonly end: RecordedEnd | undefined;
}

/**
 * Splits a recording at its `initialize` requests.
 *
 * @param assumed - What the agent spoke where its answer to `initialize` is missing. That answer is then made up.
 */
export function runsOf(steps: readonly Step[], assumed: DialectName | undefined): readonly RecordedRun[] {
  const starts = steps.flatMap((step, index) => (isInitialize(step) ? [index] : []));
  const bounds = starts[0] === 0 || steps.length === 0 ? starts : [0, ...starts];
  return bounds.map((start, index) => runOf(steps.slice(start, bounds[index + 1]), assumed));
}

function runOf(recorded: readonly Step[], assumed: DialectName | undefined): RecordedRun {
  const last = recorded.at(-1);
  const end = last?.dir === 'in' ? readEndMark(last.message) : undefined;
  const steps = end ? recorded.slice(0, -1) : recorded;
  const [request] = steps;
  const answer = request && isInitialize(request) ? answerTo(request, steps) : undefined;
  const result = answer?.message['result'];
  const dialect = isJsonObject(result) ? negotiate(result, [2, 1]).dialect?.name : undefined;
  if (answer && dialect) {
    const kept = withoutReopenedCloses(steps, dialect);
    return { steps: kept, answer: kept.indexOf(answer), dialect, isAssumed: false, end };
  }
  const hasContent = steps.some((step) => !isInitialize(step));
  if (!assumed || !hasContent) {
    return { steps, answer: undefined, dialect: undefined, isAssumed: false, end };
  }
  const rest = steps.filter((step) => !isInitialize(step) && step !== answer);
  const kept = [...introduction(assumed), ...withoutReopenedCloses(rest, assumed)];
  return { steps: kept, answer: 1, dialect: assumed, isAssumed: true, end };
}

function isInitialize({ dir, message }: Step): boolean {
  return dir === 'out' && message['method'] === 'initialize';
}

function isClose({ message }: Step): boolean {
  return message['method'] === 'session/close';
}

function answerTo({ message }: Step, steps: readonly Step[]): Step | undefined {
  const id = String(message['id']);
  return steps.find((step) => {
    return step.dir === 'in' && step.message['method'] === undefined && String(step.message['id']) === id;
  });
}

/** An exchange of `initialize` that advertises nothing. */
function introduction(dialect: DialectName): readonly Step[] {
  const id = 'initialize';
  const { protocolVersion } = dialectNamed(dialect);
  return [
    { dir: 'out', message: { jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion } } },
    { dir: 'in', message: { jsonrpc: '2.0', id, result: { protocolVersion } } },
  ];
}

/**
 * The steps without each close of a session that is resumed later, and without the calls on the session between. The
 * user reads on in the same transcript then, while a session that is resumed after a close begins an empty one.
 */
function withoutReopenedCloses(steps: readonly Step[], dialect: DialectName): readonly Step[] {
  /** How the client opens each session next, at the step that is looked at. */
  const next = new Map<string, Opening>();
  const resumed = new Set<Step>();
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index];
    const sessionId = step?.dir === 'out' ? sessionIdOf(step.message) : undefined;
    if (!step || sessionId === undefined) continue;
    const opening = openingOf(step.message, dialect);
    if (opening) next.set(sessionId, opening);
    else if (isClose(step) && next.get(sessionId) === 'resume') resumed.add(step);
  }
  const closed = new Set<string>();
  return steps.filter((step) => {
    const sessionId = sessionIdOf(step.message);
    if (step.dir === 'in' || sessionId === undefined) return true;
    if (openingOf(step.message, dialect)) closed.delete(sessionId);
    else if (resumed.has(step)) closed.add(sessionId);
    return !closed.has(sessionId);
  });
}

/**
 * Whether the client that was recorded opened its sessions again with their history: it loaded the first session that a
 * remote agent had lost. After the exit of a local agent, `skip` is what a client does that is not told. A load can also
 * be that of another connection then.
 */
export function reopeningHistory(runs: readonly RecordedRun[]): 'prefer' | 'skip' {
  for (const [index, { steps, dialect }] of runs.entries()) {
    const before = runs[index - 1]?.end;
    let isLost = before?.error !== undefined;
    for (const { dir, message } of steps) {
      if (dir === 'in') isLost ||= readChannelNote(message)?.type === 'sessionLost';
      else if (isLost && dialect !== undefined && sessionIdOf(message) !== undefined) {
        const opening = openingOf(message, dialect);
        if (opening !== undefined) return opening === 'load' ? 'prefer' : 'skip';
      }
    }
  }
  return 'skip';
}
