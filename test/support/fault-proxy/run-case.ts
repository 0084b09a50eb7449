import { setTimeout as sleep } from 'node:timers/promises';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { connect } from '../../../src/client/connect.ts';
import type { ClientConnection } from '../../../src/client/connection.ts';
import type { Session } from '../../../src/client/session/session.ts';
import type { ContentBlock } from '../../../src/model/content.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Transport } from '../../../src/transport/transport.ts';
import type { TransportName } from '../transports/names.ts';
import type { AgentHost } from '../transports/wire.ts';
import type { Passed } from './channel-faults.ts';
import { sitOut } from './outage-time.ts';
import { PlayingAgent, textIn } from './playing-agent.ts';
import type { RecordedPlay } from './recorded-play.ts';
import { openScene, type SceneFaults } from './scenes.ts';

/** How long a case may take, in milliseconds. It needs a small part of it. */
const limitMs = 90_000;

/** How often the client sends a prompt that is not recorded, to see that the session goes on. */
const maxProbes = 3;

export interface CaseOptions {
  readonly transport: TransportName;
  readonly play: RecordedPlay;
  readonly client: 'reconnects' | 'does not reconnect';
  readonly faults: SceneFaults;
}

/** What became of one prompt. */
export interface SeenTurn {
  readonly text: string;
  /** `undefined` if the turn ended as the agent said. */
  readonly error: unknown;
  /** How often the prompt arrived at the agent. */
  readonly arrived: number;
}

/** What the user saw, and what the agent did. */
export interface Seen {
  readonly end: 'hangs' | 'is open' | 'has ended';
  /** What the client did last. */
  readonly last: string;
  readonly turns: readonly SeenTurn[];
  /** Absent where there was no session. */
  readonly conversation: Conversation | undefined;
  readonly passed: Passed;
  readonly diagnostics: readonly Diagnostic[];
  /** The sessions on which two agents worked at the same time. */
  readonly shared: readonly string[];
  /** The error of the call that failed last. */
  readonly error: unknown;
}

/** Plays a recorded session between a client and an agent while one thing goes wrong. */
export async function runCase(host: AgentHost, options: CaseOptions): Promise<Seen> {
  const agent = new PlayingAgent(options.play);
  const scene = await openScene[options.transport](host, options.faults, agent);
  const client = new PlayingClient(options, () => scene.start(), agent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), limitMs + 2000 * (options.faults.outageSeconds ?? 0));
  });
  const over = new AbortController();
  try {
    if (scene.network) void sitOut(scene.network, () => client.nextAttemptAt, over.signal);
    const end = await Promise.race([client.play(), late]);
    const { turns, ...seen } = client.seen();
    const arrived = (text: string) => agent.prompts.filter((prompt) => prompt === text).length;
    return {
      ...seen,
      end,
      turns: turns.map((turn) => ({ ...turn, arrived: arrived(turn.text) })),
      passed: scene.passed,
      shared: agent.shared,
    };
  } finally {
    over.abort();
    clearTimeout(timer);
    await client.close();
    await scene.close();
  }
}

/**
 * How long nothing changes in a session that is quiet, in milliseconds. What the agent sent at the end of an interrupted turn
 * is on its way for that long at most, also on a busy machine.
 */
const quietMs = 250;

/**
 * Resolves when the agent does nothing, and when what it did has arrived. It may still work on a turn that was interrupted
 * for the client, and does not say to which prompt its updates belong.
 */
async function isQuiet(session: Session, agent: PlayingAgent): Promise<void> {
  for (let last: Conversation | undefined; ; ) {
    const { conversation } = session;
    if (conversation === last && conversation.activity.state === 'idle' && !agent.isWorking) return;
    if (session.isClosed) return;
    last = conversation;
    await sleep(quietMs);
  }
}

/** A client that does what the recorded one did, and goes on after an error where it can. */
class PlayingClient {
  readonly #options: CaseOptions;
  readonly #start: () => Transport;
  readonly #agent: PlayingAgent;
  readonly #turns: { readonly text: string; readonly error: unknown }[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  #connection: ClientConnection | undefined;
  #session: Session | undefined;
  #last = '';
  #error: unknown;

  constructor(options: CaseOptions, start: () => Transport, agent: PlayingAgent) {
    this.#options = options;
    this.#start = start;
    this.#agent = agent;
  }

  async play(): Promise<'is open' | 'has ended'> {
    const { play, client } = this.#options;
    const connection = await this.#try('connect', () =>
      connect(this.#start, {
        clientInfo: { name: 'test', version: '0.0.0' },
        handlers: {
          requestPermission: ({ options }) => {
            const allow = options.find(({ kind }) => kind === 'allow_once');
            return allow ? { outcome: 'selected', optionId: allow.optionId } : { outcome: 'cancelled' };
          },
          readTextFile: () => ({ content: '' }),
          writeTextFile: () => {},
        },
        protocolVersions: [play.version],
        onDiagnostic: (diagnostic) => this.#diagnostics.push(diagnostic),
        ...(client === 'reconnects' && { reconnect: { firstDelayMs: 1 } }),
      }),
    );
    this.#connection = connection;
    if (!connection) return 'has ended';
    const open = async () => {
      await connection.ready;
      return connection.newSession({ cwd: '/workspace' });
    };
    // One thing goes wrong: the second time it does not.
    this.#session = (await this.#try('newSession', open)) ?? (await this.#try('newSession again', open));
    if (!this.#session) return 'has ended';
    for (const { prompt } of play.turns) if (!(await this.#prompt(prompt))) return 'has ended';
    for (let count = 1; count <= maxProbes; count++) {
      if (!(await this.#prompt([{ type: 'text', text: `Probe ${count}.` }]))) return 'has ended';
      if (this.#turns.at(-1)?.error === undefined) return 'is open';
    }
    throw new Error('The session does not go on.');
  }

  get nextAttemptAt(): number | null {
    return this.#connection?.nextAttemptAt ?? null;
  }

  seen() {
    return {
      last: this.#last,
      turns: this.#turns,
      conversation: this.#session?.conversation,
      diagnostics: this.#diagnostics,
      error: this.#error,
    };
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** Resolves to whether the session goes on. */
  async #prompt(prompt: readonly ContentBlock[]): Promise<boolean> {
    const text = textIn(prompt);
    const session = this.#session;
    if (!session || session.isClosed) return false;
    const hasFailed = this.#turns.at(-1)?.error !== undefined;
    const ready = await this.#try(`ready for ${text}`, async () => {
      await this.#connection?.ready;
      if (hasFailed) await isQuiet(session, this.#agent);
      return true;
    });
    if (!ready || session.isClosed) return false;
    this.#error = undefined;
    await this.#try(text, () => session.prompt(prompt));
    this.#turns.push({ text, error: this.#error });
    return true;
  }

  async #try<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    this.#last = what;
    try {
      return await action();
    } catch (error) {
      this.#error = error;
      return undefined;
    }
  }
}
