import { isJsonObject, type JsonObject } from '../../../src/core/base/json.ts';
import { paramsOf, type RecordedMessage } from '../../../src/records/recording/recorded-message.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { scriptedAgentOn, type Wire } from '../transports/wire.ts';
import { isUpdate, type Play, type RecordedTurn } from './play.ts';

/** One session at the agent. It outlives the connections to it. */
interface StoredSession {
  /** What a load replays. */
  readonly history: object[];
  /** Where the agent sends what is new. */
  agent: ScriptedAgent;
  /** Aborted when the connection of that agent has ended. */
  signal: AbortSignal;
}

/**
 * An agent that plays a recorded session. Like a real one it stores its sessions, ends its turn when its connection
 * ends, and works on when only the client's stream of a session has gone.
 */
export class PlayingAgent {
  /** The prompts that have arrived, as their texts. */
  readonly prompts: string[] = [];
  /** The sessions that a connection opened while another one still had them: two agents worked on one session. */
  readonly shared: string[] = [];
  readonly #play: Play;
  readonly #sessions = new Map<string, StoredSession>();
  /** The turns that go on, and do not wait for the client. */
  readonly #turns = new Set<Work>();

  constructor(play: Play) {
    this.#play = play;
  }

  /** Whether it works on a turn for a connection that is there, also one that was interrupted for the client. */
  get isWorking(): boolean {
    return [...this.#turns].some(({ signal }) => !signal.aborted);
  }

  /** A connection has begun. */
  serve(wire: Wire): void {
    const play = this.#play;
    const agent = scriptedAgentOn(wire);
    const control = new AbortController();
    agent.channel.onEnd(() => control.abort());
    const { signal } = control;
    const reopen = (withHistory: boolean) => (params: JsonObject, _: unknown, id: string | number) =>
      this.#reopen(
        { agent, signal },
        String(params['sessionId']),
        withHistory || isJsonObject(params['replayFrom']),
        id,
      );
    agent
      .on('initialize', play.initialized)
      .on('session/new', (_params, _agent, id) => {
        const sessionId = `session-${this.#sessions.size + 1}`;
        const session = { history: [], agent, signal };
        this.#sessions.set(sessionId, session);
        agent.answer(id, { ...play.opened, sessionId });
        for (const message of play.greeting) this.#update(session, sessionId, message);
        return noAnswer;
      })
      .on('session/load', reopen(true))
      .on('session/resume', reopen(false))
      .on('session/prompt', ({ sessionId, prompt }, _agent, id) => {
        const text = textIn(prompt);
        this.prompts.push(text);
        const turn = play.turns.find((recorded) => textIn(recorded.prompt) === text);
        const session = this.#sessions.get(String(sessionId));
        if (!session) throw new Error(`There is no session ${sessionId}.`);
        if (play.version === 1) {
          session.history.push({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
        }
        const work = { sessionId: String(sessionId), id, turn, text, signal };
        this.#turns.add(work);
        void this.#work(session, work).finally(() => this.#turns.delete(work));
        return noAnswer;
      });
  }

  #reopen(
    { agent, signal }: Pick<StoredSession, 'agent' | 'signal'>,
    sessionId: string,
    withHistory: boolean,
    id: string | number,
  ): unknown {
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Error(`There is no session ${sessionId}.`);
    if (session.signal !== signal && !session.signal.aborted) this.shared.push(sessionId);
    session.agent = agent;
    session.signal = signal;
    if (withHistory) agent.update(sessionId, ...session.history);
    const { sessionId: _, ...opened } = this.#play.opened;
    agent.answer(id, opened);
    return noAnswer;
  }

  async #work(session: StoredSession, work: Work): Promise<void> {
    const { sessionId, id, turn, text, signal } = work;
    const answers = new Map<unknown, Promise<unknown>>();
    let slowUntil = performance.now() + slowMs;
    for (const { dir, message } of turn?.steps ?? shortTurn(this.#play.version, text)) {
      if (performance.now() < slowUntil) await new Promise(setImmediate);
      if (signal.aborted) return;
      if (dir === 'out') {
        // A request that was lost is never answered.
        this.#turns.delete(work);
        await answers.get(message['id']);
        this.#turns.add(work);
        answers.delete(message['id']);
        slowUntil = performance.now() + slowMs;
      } else if (isUpdate(message)) this.#update(session, sessionId, message);
      else if (message['method'] === undefined) session.agent.answer(id, message['result']);
      else if (message['id'] === undefined)
        session.agent.notify(String(message['method']), paramsOf(message));
      else {
        const params = { ...paramsOf(message), sessionId };
        answers.set(message['id'], session.agent.request(String(message['method']), params));
      }
      if (signal.aborted) return;
    }
  }

  #update(session: StoredSession, sessionId: string, message: JsonObject): void {
    const update = paramsOf(message)['update'];
    if (!isJsonObject(update)) return;
    if (update['sessionUpdate'] !== 'state_update') session.history.push(update);
    session.agent.update(sessionId, update);
  }
}

/**
 * How long an agent writes each message in a turn of the event loop of its own, in milliseconds. On a busy machine it would
 * otherwise still work when its client opens the session again.
 */
const slowMs = 100;

interface Work {
  readonly sessionId: string;
  readonly id: string | number;
  readonly turn: RecordedTurn | undefined;
  readonly text: string;
  /** Aborted when the connection has ended. */
  readonly signal: AbortSignal;
}

export function textIn(prompt: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  return blocks.map((block) => (isJsonObject(block) ? String(block['text']) : '')).join('');
}

/** A turn that is not recorded. */
function shortTurn(version: 1 | 2, text: string): readonly RecordedMessage[] {
  const update = (fields: JsonObject): RecordedMessage => ({
    t: 0,
    dir: 'in',
    message: { method: 'session/update', params: { update: fields } },
  });
  const messageId = `id of ${text}`;
  if (version === 1) return [{ dir: 'in', t: 0, message: { result: { stopReason: 'end_turn' } } }];
  return [
    update({ sessionUpdate: 'state_update', state: 'running' }),
    update({ sessionUpdate: 'user_message', messageId, content: [{ type: 'text', text }] }),
    { dir: 'in', t: 0, message: { result: { messageId } } },
    update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }),
  ];
}
