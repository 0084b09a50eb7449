import fc from 'fast-check';
import { expect } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { ConnectionClosedError } from '../../src/core/base/errors.ts';
import { deferred } from '../../src/core/base/wait.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { text } from '../support/agents.ts';
import { cwd, messages } from '../support/open-session.ts';
import type { TransportName } from '../support/transports/names.ts';
import { openHost } from '../support/transports/table.ts';
import { scriptedAgentOn } from '../support/transports/wire.ts';

/**
 * What agents know of prompts: a `preview` agent runs a prompt once for each key and marks the end of a replay. An `alpha`
 * agent also speaks version 2, and does neither.
 */
const kinds = ['preview', 'alpha', 'v1'] as const;

/** A prompt, and where the connection is cut. */
export interface Case {
  readonly agent: (typeof kinds)[number];
  /** Whether the agent goes on with its work when the connection is cut. */
  readonly worksOn: boolean;
  /** Whether the agent reports the user's message before it answers the prompt. */
  readonly reportsFirst: boolean;
  /** For each connection, the number of the agent's step at which it is cut. */
  readonly cuts: readonly number[];
}

/** Any case. An agent has about 8 steps for a prompt, and 6 for a session that is opened again. */
export const anyCase: fc.Arbitrary<Case> = fc.record({
  agent: fc.constantFrom('preview', 'preview', ...kinds),
  worksOn: fc.boolean(),
  reportsFirst: fc.boolean(),
  cuts: fc.array(fc.nat(8), { minLength: 1, maxLength: 2 }),
});

/** The connection was cut, and the process of the agent ends with it. */
class Ended extends Error {}

const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve));

/** An agent, over all of its connections. */
class CutAgent {
  readonly #case: Case;
  /** What was asked, in the order in which the work on it began. */
  readonly runs: string[] = [];
  readonly #keys = new Map<string, string>();
  readonly #history: { readonly sessionUpdate: string; readonly messageId: string; said: string }[] = [];
  #running = 0;
  #connections = 0;
  #cuts = 0;
  #connected = deferred();
  #isArmed = false;
  #steps = 0;
  #wire: { readonly agent: ScriptedAgent; readonly breakOff: () => void } | undefined;
  /** The connection on which the session is open. */
  #openOn: object | undefined;
  #replay: Promise<unknown> = Promise.resolve();

  constructor(play: Case) {
    this.#case = play;
  }

  /** The connection can be cut from now on. */
  arm(): void {
    this.#isArmed = true;
  }

  /** The connection is not cut any more. Resolves when each one that was cut is replaced, and the work has ended. */
  async disarm(): Promise<void> {
    this.#isArmed = false;
    while (this.#connections <= this.#cuts) await this.#connected.promise;
    while (this.#running > 0) await macrotask();
  }

  /** Sends an update behind all others. */
  rename(): Promise<void> {
    return this.#live(() => ({ sessionUpdate: 'session_info_update', title: 'One' }));
  }

  /** Serves a new connection. */
  serve(agent: ScriptedAgent, breakOff: () => void): void {
    const isVersion1 = this.#case.agent === 'v1';
    const wire = { agent, breakOff };
    this.#wire = wire;
    this.#connections++;
    this.#connected.resolve();
    this.#connected = deferred();
    this.#steps = 0;
    const guarded = (act: (params: Record<string, unknown>, id: string | number) => Promise<unknown>) => {
      return async (params: Record<string, unknown>, _: unknown, id: string | number) => {
        try {
          const answer = await act(params, id);
          return this.#wire === wire ? answer : noAnswer;
        } catch (error) {
          if (error instanceof Ended) return noAnswer;
          throw error;
        }
      };
    };
    agent
      .on(
        'initialize',
        isVersion1
          ? {
              protocolVersion: 1,
              agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
            }
          : { protocolVersion: 2, info: { name: 'cut', version: '1' }, capabilities: { session: {} } },
      )
      .on('session/new', () => {
        this.#openOn = wire;
        return { sessionId: 's1' };
      })
      .on(
        'session/load',
        guarded(() => this.#reopen(wire, true)),
      )
      .on(
        'session/resume',
        guarded(({ replayFrom }) => this.#reopen(wire, replayFrom != null)),
      )
      .on(
        'session/prompt',
        guarded((params, id) => this.#prompt(wire, params, id)),
      );
  }

  /** One step of the agent, after which the connection may be cut. */
  async #step(): Promise<void> {
    await macrotask();
    if (!this.#isArmed || this.#steps++ !== this.#case.cuts[this.#connections - 1]) return;
    const cut = this.#wire;
    this.#wire = undefined;
    this.#cuts++;
    if (!this.#case.worksOn) this.#running = 0;
    cut?.breakOff();
  }

  /** A step of work that does not outlive its process. */
  async #workStep(wire: object): Promise<void> {
    await this.#step();
    if (this.#wire !== wire && !this.#case.worksOn) throw new Ended();
  }

  /** Sends what is live, which waits for the end of a replay. A replay has what was sent before it, and nothing more. */
  async #live(update: () => object): Promise<void> {
    for (let replay: unknown; replay !== this.#replay; await replay) replay = this.#replay;
    const made = update();
    if (this.#openOn === this.#wire) this.#wire?.agent.update('s1', made);
  }

  #send(wire: object, update: object): void {
    if (this.#wire === wire) this.#wire?.agent.update('s1', update);
  }

  async #reopen(wire: object, isReplayed: boolean): Promise<object> {
    this.#openOn = wire;
    const replay = this.#replayTo(wire, isReplayed);
    this.#replay = replay.catch(() => {});
    await replay;
    return {};
  }

  async #replayTo(wire: object, isReplayed: boolean): Promise<void> {
    const { agent } = this.#case;
    for (const { sessionUpdate, messageId, said } of isReplayed ? this.#history : []) {
      if (agent === 'v1')
        this.#send(wire, { sessionUpdate: `${sessionUpdate}_chunk`, messageId, content: text(said) });
      else this.#send(wire, { sessionUpdate, messageId, content: [text(said)] });
      await this.#step();
    }
    if (agent === 'v1') return;
    if (agent === 'preview' && isReplayed) this.#send(wire, { sessionUpdate: 'replay_complete' });
    await this.#step();
    const state = this.#running > 0 ? { state: 'running' } : { state: 'idle', stopReason: null };
    this.#send(wire, { sessionUpdate: 'state_update', ...state });
    await this.#step();
  }

  async #prompt(wire: object, params: Record<string, unknown>, id: string | number): Promise<unknown> {
    const { agent, reportsFirst } = this.#case;
    await this.#step();
    // The request is lost with the connection.
    if (this.#wire !== wire) throw new Ended();
    const [{ text: asked }] = params['prompt'] as [{ text: string }];
    const key = agent === 'preview' ? (params['idempotencyKey'] as string) : undefined;
    const known = key === undefined ? undefined : this.#keys.get(key);
    if (known !== undefined) return { messageId: known };
    this.runs.push(asked);
    const number = this.runs.length;
    const messageId = `u${number}`;
    if (key !== undefined) this.#keys.set(key, messageId);
    this.#history.push({ sessionUpdate: 'user_message', messageId, said: asked });
    this.#running++;
    const isVersion1 = agent === 'v1';
    const report = { sessionUpdate: 'user_message', messageId, content: [text(asked)] };
    const answer = () => {
      if (this.#wire === wire) this.#wire?.agent.answer(id, { messageId });
    };
    await this.#workStep(wire);
    if (reportsFirst && !isVersion1) await this.#live(() => report);
    await this.#workStep(wire);
    if (!isVersion1) answer();
    await this.#workStep(wire);
    if (!reportsFirst && !isVersion1) await this.#live(() => report);
    if (!isVersion1) await this.#live(() => ({ sessionUpdate: 'state_update', state: 'running' }));
    await this.#workStep(wire);
    const said = { sessionUpdate: 'agent_message', messageId: `a${number}`, said: '' };
    const { messageId: answerId } = said;
    for (const part of ['Done ', asked]) {
      await this.#live(() => {
        if (said.said === '') this.#history.push(said);
        said.said += part;
        return { sessionUpdate: 'agent_message_chunk', messageId: answerId, content: text(part) };
      });
      await this.#workStep(wire);
    }
    this.#running--;
    if (isVersion1) {
      if (this.#wire === wire) this.#wire?.agent.answer(id, { stopReason: 'end_turn' });
    } else await this.#live(() => ({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }));
    return noAnswer;
  }
}

const said = (session: Session) =>
  messages(session.conversation).map((message) => `${message.role}: ${textOf(message)}`);

/** Sends two prompts over a connection that is cut during the first one, and checks what must hold. */
export async function checkPrompts(transport: TransportName, play: Case): Promise<void> {
  const agent = new CutAgent(play);
  const host = await openHost(transport);
  const start = () => {
    const wire = host.open();
    const scripted = scriptedAgentOn(wire);
    agent.serve(scripted, wire.breakOff);
    return scripted.transport;
  };
  const connection = await connect(start, {
    clientInfo: { name: 'test', version: '0' },
    reconnect: { firstDelayMs: 1, maxDelayMs: 2 },
    onDiagnostic: () => {},
  });
  const session = await connection.newSession({ cwd });
  agent.arm();
  const [first] = await Promise.allSettled([session.prompt('one')]);
  await agent.disarm();
  await connection.ready;
  const isRead = new Promise<void>((resolve) => {
    session.onUpdate(({ sessionUpdate }) => sessionUpdate === 'session_info_update' && resolve());
  });
  await agent.rename();
  await isRead;
  const second = await session.prompt('two');

  expect(second.stopReason).toBe('end_turn');
  const times = agent.runs.filter((asked) => asked === 'one').length;
  if (play.agent === 'preview') expect(times).toBe(1);
  else expect(times).toBeLessThanOrEqual(1);
  expect(agent.runs.filter((asked) => asked === 'two')).toHaveLength(1);
  if (first.status === 'rejected') {
    expect(first.reason).toBeInstanceOf(ConnectionClosedError);
    const { promptAccepted } = first.reason as ConnectionClosedError;
    if (times === 0) expect(promptAccepted).toBe(false);
  }
  // Each message of the user is there once, and what the agent said of it follows. What may be missing is marked.
  const shown = said(session);
  const isMarked = session.conversation.entries.some(({ kind }) => kind === 'turnFailure');
  const undisturbed = ['user: one', 'agent: Done one', 'user: two', 'agent: Done two'];
  if (!isMarked) expect(shown).toEqual(undisturbed);
  expect(shown.filter((line) => line.startsWith('user: '))).toEqual(['user: one', 'user: two']);
  expect(shown.at(-1)).toBe('agent: Done two');
  for (const line of shown.slice(1, -2)) expect('Done one').toContain(line.replace('agent: ', ''));
  await connection.close();
  await host.close();
}
