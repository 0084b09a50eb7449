import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../../src/agents/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { ContentBlock } from '../../../src/core/model/content.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import type { Recovery } from './cases.ts';
import type { Play } from './play.ts';
import { type PlayingAgent, textIn } from './playing-agent.ts';

/** How often the client sends a prompt that is not recorded, to see that the session goes on. */
const maxProbes = 3;

/**
 * How long nothing changes in a session that is quiet, in milliseconds. What the agent sent at the end of an interrupted turn
 * is on its way for that long at most, also on a busy machine.
 */
const quietMs = 250;

/** What became of one prompt. */
export interface SeenTurn {
  readonly text: string;
  /** `undefined` if the turn ended as the agent said. */
  readonly error: unknown;
}

/** A client that does what the recorded one did, and goes on after an error where it can. */
export class PlayingClient {
  readonly turns: SeenTurn[] = [];
  /** What the client did last. */
  last = '';
  /** The error of the call that failed last. */
  error: unknown;
  connection: ClientConnection | undefined;
  #session: Session | undefined;
  readonly #play: Play;
  readonly #agent: PlayingAgent;

  constructor(play: Play, agent: PlayingAgent) {
    this.#play = play;
    this.#agent = agent;
  }

  /** Absent where there was no session. */
  get conversation(): Conversation | undefined {
    return this.#session?.conversation;
  }

  async play(start: () => Transport, client: Recovery['client']): Promise<'is open' | 'has ended'> {
    const connection = await this.#try('connect', () =>
      connect(start, {
        clientInfo: { name: 'test', version: '0.0.0' },
        handlers: {
          requestPermission: ({ options }) => {
            const allow = options.find(({ kind }) => kind === 'allow_once');
            return allow ? { outcome: 'selected', optionId: allow.optionId } : { outcome: 'cancelled' };
          },
          readTextFile: () => ({ content: '' }),
          writeTextFile: () => {},
        },
        protocolVersions: [this.#play.version],
        onDiagnostic() {},
        ...(client === 'reconnects' && { reconnect: { firstDelayMs: 1 } }),
      }),
    );
    this.connection = connection;
    if (!connection) return 'has ended';
    const open = async () => {
      await connection.ready;
      return connection.newSession({ cwd: '/workspace' });
    };
    // One thing goes wrong: the second time it does not.
    const session = (await this.#try('newSession', open)) ?? (await this.#try('newSession again', open));
    this.#session = session;
    if (!session) return 'has ended';
    const prompt = (blocks: readonly ContentBlock[]) => this.#prompt(connection, session, blocks);
    for (const turn of this.#play.turns) if (!(await prompt(turn.prompt))) return 'has ended';
    for (let count = 1; count <= maxProbes; count++) {
      if (!(await prompt([{ type: 'text', text: `Probe ${count}.` }]))) return 'has ended';
      if (this.turns.at(-1)?.error === undefined) return 'is open';
    }
    throw new Error('The session does not go on.');
  }

  /** Resolves to whether the session goes on. */
  async #prompt(
    connection: ClientConnection,
    session: Session,
    prompt: readonly ContentBlock[],
  ): Promise<boolean> {
    const text = textIn(prompt);
    const hasFailed = this.turns.at(-1)?.error !== undefined;
    const ready = await this.#try(`ready for ${text}`, async () => {
      if (!session.isClosed) await connection.ready;
      if (hasFailed) await this.#isQuiet(session);
      return !session.isClosed;
    });
    if (!ready) return false;
    this.error = undefined;
    await this.#try(text, () => session.prompt(prompt));
    this.turns.push({ text, error: this.error });
    return true;
  }

  /**
   * Resolves when the agent does nothing, and when what it did has arrived. It may still work on a turn that was interrupted
   * for the client, and does not say to which prompt its updates belong.
   */
  async #isQuiet(session: Session): Promise<void> {
    for (let last: Conversation | undefined; !session.isClosed; await sleep(quietMs)) {
      const { conversation } = session;
      if (conversation === last && conversation.activity.state === 'idle' && !this.#agent.isWorking) return;
      last = conversation;
    }
  }

  async #try<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    this.last = what;
    try {
      return await action();
    } catch (error) {
      this.error = error;
      return undefined;
    }
  }
}
