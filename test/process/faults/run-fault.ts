import { getEventListeners } from 'node:events';
import { connect } from '../../../src/agents/connect.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { SpawnedAgent } from '../../../src/node/process/agent-process.ts';
import { groups } from '../../../src/node/process/process-group.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { until } from '../../support/eventually.ts';
import { type ProgramWire, stdioHost } from '../../support/transports/stdio.ts';
import { scriptedAgentOn } from '../../support/transports/wire.ts';
import { expectedOutcome, faults, type Point, type Row } from './faults.ts';

const cwd = process.cwd();
const allow = { outcome: 'selected', optionId: 'yes' } as const;

/** How long the editor waits for an answer that never comes, and for one that does. */
const neverMs = 200;
const longMs = 10_000;

/** The editor's own reason to call something off. */
export const givenUp = new Error('given up by the editor');

/** What became of a promise. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

/** What an editor sees of a fault, and what is left afterwards. */
export interface Seen {
  readonly settled: Settled;
  /** The conversation once the connection was closed; absent where no session was open before. */
  readonly conversation: Conversation | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** What became of another call afterwards; absent where the agent serves no more. */
  readonly nextCall: Settled | undefined;
  /** What was left behind: listeners on the editor's signal, processes. */
  readonly left: readonly string[];
}

interface Play extends Row {
  readonly connection: ClientConnection;
  readonly session: Session | undefined;
  readonly control: AbortController;
  /** Resolves when the agent has done what is wrong. */
  readonly failed: Promise<void>;
  /** Resolves when the dialog is open. */
  readonly asked: Promise<void>;
  readonly timeoutMs: number;
}

/**
 * Plays one fault with a real process. Resolves when the process has gone; a promise that never settles is a hang.
 *
 * The time for `initialize` includes the start of the process. If that takes too long, it is played again with twice
 * the time.
 */
export async function runFault(row: Row): Promise<Seen> {
  const neverInitialized =
    faults[row.name]?.kind === 'silence' && (row.point === 'start' || row.point === 'initialize');
  if (!neverInitialized) return (await playOnce(row, Number.POSITIVE_INFINITY)).seen;
  for (let initializeIdleTimeoutMs = 1000; ; initializeIdleTimeoutMs *= 2) {
    const { seen, reached } = await playOnce(row, initializeIdleTimeoutMs);
    if (reached) return seen;
  }
}

interface Played {
  readonly seen: Seen;
  /** Whether the agent came to the point at which it goes wrong. */
  readonly reached: boolean;
}

async function playOnce(row: Row, initializeIdleTimeoutMs: number): Promise<Played> {
  const { name, point } = row;
  const kind = faults[name]?.kind;
  const diagnostics: Diagnostic[] = [];
  const control = new AbortController();
  const asked = deferred();
  const host = await stdioHost();
  const wire = host.start({
    child: name === 'leaves a child that holds its output' ? 'shares' : 'alone',
    outlivesInput: true,
    maxLineBytes: 50_000,
    shutdown: { graceMs: 200, killAfterMs: 200 },
  });
  const agent = wire.transport;
  const failed = playFault(wire, row);
  let reached = false;
  void failed.then(() => {
    reached = true;
  });
  // Where it is the agent that goes wrong, the dialog stays open.
  const dialogStaysOpen = kind !== 'harmless' || point === 'cancel';
  const connecting = connect(agent, {
    clientInfo: { name: 'test', version: '0' },
    initializeIdleTimeoutMs,
    initializeTotalTimeoutMs: Number.POSITIVE_INFINITY,
    signal: control.signal,
    onDiagnostic: (diagnostic) => {
      // Each connection to the earlier draft of version 2 reports it.
      if (diagnostic.rule !== 'protocol.dialect_assumed') diagnostics.push(diagnostic);
    },
    handlers: {
      requestPermission() {
        asked.resolve();
        return dialogStaysOpen ? new Promise(() => {}) : allow;
      },
    },
  });
  const finish = async (settled: Settled, session?: Session, nextCall?: Settled): Promise<Played> => {
    const left = await leftovers(agent, control.signal);
    await host.close();
    return { seen: { settled, conversation: session?.conversation, diagnostics, nextCall, left }, reached };
  };
  if (point === 'start' || point === 'initialize') {
    const settled = await settle(connecting);
    if ('value' in settled) await (await connecting).close();
    return finish(settled);
  }
  const connection = await connecting;
  const session = point === 'new' ? undefined : await connection.newSession({ cwd });
  // What the agent says once the session is open is here before anything goes wrong.
  if (session) await holds(session, 'Welcome.');
  const timeoutMs = kind === 'silence' ? neverMs : longMs;
  const play = { ...row, connection, session, control, failed, asked: asked.promise, timeoutMs };
  const settled = await settle(calls[point](play));
  const servesOn = faults[name]?.servesOn === true && point !== 'end';
  const nextCall = servesOn ? await settle(connection.request('_test/ping', {})) : undefined;
  await connection.close();
  await connection.closed;
  return finish(settled, session, nextCall);
}

/** What the editor does at each point. */
const calls: Readonly<Record<Exclude<Point, 'start' | 'initialize'>, (play: Play) => Promise<unknown>>> = {
  async idle({ connection, failed, name }) {
    await failed;
    // Where the end of the agent can be seen, it is seen before anything is called.
    if (faults[name]?.kind === 'end' || faults[name]?.kind === 'too long') await connection.closed;
    // Only an agent that is silent is given up. A busy machine may see the end of an input late.
    const timeoutMs = expectedOutcome(name, 'idle') === 'timeout' ? 5 * neverMs : 60_000;
    return connection.request('_test/ping', { filling: 'x'.repeat(1_000_000) }, { timeoutMs });
  },
  new: ({ connection, control: { signal }, timeoutMs }) =>
    connection.newSession({ cwd }, { timeoutMs, signal }),
  load: ({ connection, control: { signal }, timeoutMs }) =>
    connection.loadSession({ sessionId: 's1', cwd }, { timeoutMs, signal }),
  prompt: turn,
  turn,
  permission: turn,
  async cancel(play) {
    const turning = turn(play);
    await play.asked;
    await play.session?.cancel({ signal: play.control.signal });
    return turning;
  },
  close: async ({ session, control: { signal }, timeoutMs }) => session?.close({ timeoutMs, signal }),
  end: ({ connection }) => connection.close(),
};

async function turn({ session, control, failed, name, point }: Play): Promise<unknown> {
  const turning = session?.prompt('Write it.', { signal: control.signal });
  if (session && faults[name]?.kind === 'silence') {
    await failed;
    // What the agent wrote before is read first.
    if (point !== 'prompt') await holds(session, ' Working.');
    setTimeout(() => control.abort(givenUp), 100);
  }
  return turning;
}

/** Resolves when the session's conversation holds a text. */
const holds = ({ store }: Session, text: string) =>
  until(store, (conversation) => JSON.stringify(conversation).includes(text));

async function settle(promise: Promise<unknown>): Promise<Settled> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

async function leftovers(agent: SpawnedAgent, signal: AbortSignal): Promise<string[]> {
  const left: string[] = [];
  if (getEventListeners(signal, 'abort').length > 0) left.push('listeners on the signal');
  await agent.reaped;
  if (agent.pid !== undefined && (await groups.runs(agent.pid))) left.push('processes');
  return left;
}

type Id = string | number;

/**
 * Lets a program be an agent that does one thing wrong, at one point.
 *
 * @returns a promise that resolves when it has done it.
 */
export function playFault(wire: ProgramWire, { name, point, dialect }: Row): Promise<void> {
  const fault = faults[name];
  const isV1 = dialect === 'v1';
  const failed = deferred();
  const agent = scriptedAgentOn(wire);
  /** What is answered once it was called off. */
  const late = new Map<unknown, () => void>();
  let isAtPoint = false;
  let isSilent = false;

  /** Goes on with `answer`, unless this is the point at which something goes wrong. */
  const at = (place: Point, id: Id = '', answer = () => {}) => {
    if (isSilent) return;
    if (place !== point) return answer();
    isAtPoint = true;
    isSilent = fault?.servesOn !== true;
    const answerLate = () => void late.set(id, answer);
    void wire.connected
      .then(() => fault?.happen({ wire, id, answer, answerLate }))
      .then(() => failed.resolve());
  };
  const answered = (place: Point, result: JsonObject, then = () => {}) => {
    return (_params: JsonObject, _agent: unknown, id: Id) => {
      at(place, id, () => {
        agent.answer(id, result);
        then();
      });
      return noAnswer;
    };
  };
  const update = (fields: object) => agent.update('s1', fields);
  const say = (text: string) =>
    update({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { type: 'text', text } });

  const work = async (id: Id, finish: (stopReason: string) => void) => {
    say(' Working.');
    const sessionUpdate = isV1 ? 'tool_call' : 'tool_call_update';
    update({ sessionUpdate, toolCallId: 't1', title: 'Write', status: 'in_progress' });
    at('turn', id, () => void ask(finish));
  };
  const ask = async (finish: (stopReason: string) => void) => {
    const toolCall = { toolCallId: 't1' };
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const asked = agent.request(
      'session/request_permission',
      isV1
        ? { sessionId: 's1', toolCall, options }
        : { sessionId: 's1', title: 'Write?', subject: { type: 'tool_call', toolCall }, options },
    );
    const wasAtPoint = isAtPoint;
    at('permission');
    const { result } = await asked;
    // What was asked before must not end the turn, unless the agent goes on as if nothing had been.
    if (isAtPoint !== wasAtPoint && name !== 'writes garbage') return;
    if (JSON.stringify(result).includes('cancelled')) return finish('cancelled');
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
    say(' Done.');
    finish('end_turn');
  };

  agent
    .on(
      'initialize',
      answered(
        'initialize',
        isV1
          ? {
              protocolVersion: 1,
              agentInfo: { name: 'faulty', version: '1' },
              agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, list: {} } },
            }
          : { protocolVersion: 2, info: { name: 'faulty', version: '1' }, capabilities: { session: {} } },
      ),
    )
    .on(
      'session/new',
      answered('new', { sessionId: 's1' }, () => {
        say('Welcome.');
        if (point === 'idle') setTimeout(() => at('idle'), 20);
      }),
    )
    .on(isV1 ? 'session/load' : 'session/resume', (_params, _agent, id) => {
      say('What was said before, ');
      at('load', id, () => {
        say('all of it.');
        agent.answer(id, {});
      });
      return noAnswer;
    })
    .on('session/prompt', (_params, _agent, id) => {
      at('prompt', id, () => {
        if (isV1) return work(id, (stopReason) => agent.answer(id, { stopReason }));
        agent.answer(id, { messageId: 'u1' });
        update({ sessionUpdate: 'state_update', state: 'running' });
        void work(id, (stopReason) => update({ sessionUpdate: 'state_update', state: 'idle', stopReason }));
      });
      return noAnswer;
    })
    // The answer to the open question ends the turn.
    .on('session/cancel', () => at('cancel'))
    .on('session/close', answered('close', {}))
    .on('_test/ping', (_params, _agent, id) => {
      if (!isSilent) agent.answer(id, {});
      return noAnswer;
    })
    .on('$/cancel_request', ({ requestId }) => late.get(requestId)?.());
  agent.channel.onEnd(() => at('end', '', () => agent.channel.exit({ exitCode: 0 })));
  at('start');
  return failed.promise;
}
