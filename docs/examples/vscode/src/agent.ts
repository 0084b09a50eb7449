import {
  type ClientConnection,
  type ConnectOptions,
  connect,
  type HandlerContext,
  type PermissionOutcome,
  type PermissionRequest,
  type Session,
  type SessionInfo,
  type Transport,
  UsageError,
} from 'acp-client-sdk';
import { type ConversationPublisher, publishConversation } from 'acp-client-sdk/conversation';
import type { HostMessage, PanelState, Question, WebviewMessage } from './messages.ts';

/** What the panel needs of the editor. */
export interface Editor {
  /** Starts the agent's program. */
  readonly spawn: () => Transport;
  /** The folder of new sessions. */
  readonly cwd: () => string;
  /** The editor's part of the connection: its name, its files, its log. */
  readonly connectOptions: () => ConnectOptions;
  readonly post: (message: HostMessage) => void;
}

interface OpenQuestion extends Question {
  readonly sessionId: string;
  readonly answer: (outcome: PermissionOutcome) => void;
}

const initialState: PanelState = {
  phase: 'connecting',
  agentName: 'Agent',
  sessions: [],
  sessionId: null,
  loadedUpdates: null,
  questions: [],
  problem: null,
};

/** About one message for each frame. */
const frameMs = 16;

type Actions = {
  readonly [K in WebviewMessage['type']]: (message: Extract<WebviewMessage, { type: K }>) => unknown;
};

/** The agent of a panel: one connection, one session that is shown, and the questions that wait for the user. */
export class Agent {
  readonly #editor: Editor;
  #state = initialState;
  #connection: ClientConnection | undefined;
  #session: Session | undefined;
  #publisher: ConversationPublisher | undefined;
  /** Ends the attempt to connect. */
  #connecting = new AbortController();
  #questions: readonly OpenQuestion[] = [];
  #questionCount = 0;
  #postTimer: NodeJS.Timeout | undefined;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  /** Performs what the user asked for. */
  receive(message: WebviewMessage): void {
    this.#run(message.type, message);
  }

  /** Starts the agent, and lists its sessions. */
  async connect(): Promise<void> {
    await this.close();
    const { signal } = this.#connecting;
    this.#show(undefined);
    this.#change(initialState);
    try {
      const connection = await connect(this.#editor.spawn, {
        ...this.#editor.connectOptions(),
        signal,
        // A crash ends the turn. The agent is started again, and the sessions continue.
        reconnect: { maxAttempts: 3 },
      });
      this.#connection = connection;
      const { agentInfo } = connection;
      this.#change({ phase: 'open', agentName: agentInfo?.title ?? agentInfo?.name ?? 'Agent' });
      connection.onStateChange((phase) => {
        if (this.#connection === connection) this.#change({ phase });
      });
      void connection.closed.then(({ error }) => {
        if (this.#connection !== connection) return;
        this.#change({ phase: 'closed', problem: error?.message ?? null });
      });
    } catch (error) {
      if (!signal.aborted) this.#change({ phase: 'closed', problem: messageOf(error) });
      return;
    }
    await this.#attempt((connection) => this.#listSessions(connection));
  }

  /** Ends the agent's process. */
  async close(): Promise<void> {
    this.#connecting.abort();
    this.#connecting = new AbortController();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#publisher?.stop();
    await connection?.close();
    clearTimeout(this.#postTimer);
    this.#postTimer = undefined;
  }

  /** Asks the user in the panel. Aborting the signal means that the answer is no longer needed. */
  readonly requestPermission = (
    { title, description, toolCall, options }: PermissionRequest,
    { session, signal }: HandlerContext,
  ): Promise<PermissionOutcome> =>
    new Promise((resolve) => {
      const question: OpenQuestion = {
        id: ++this.#questionCount,
        sessionId: session.sessionId,
        title: title ?? toolCall?.title ?? 'Allow the agent to continue?',
        description,
        options,
        answer: (outcome) => {
          this.#ask(this.#questions.filter(({ id }) => id !== question.id));
          resolve(outcome);
        },
      };
      signal.addEventListener('abort', () => question.answer({ outcome: 'cancelled' }), { once: true });
      this.#ask([...this.#questions, question]);
    });

  readonly #actions: Actions = {
    ready: () => {
      // A webview that is hidden and shown again starts again.
      this.#postState();
      this.#publisher?.resend();
    },
    resend: () => this.#publisher?.resend(),
    connect: () => this.connect(),
    dismiss: () => this.#change({ problem: null }),
    newSession: () =>
      this.#attempt(async (connection) => {
        this.#show(await connection.newSession({ cwd: this.#editor.cwd() }));
        await this.#listSessions(connection);
      }),
    openSession: ({ sessionId }) => this.#attempt((connection) => this.#open(connection, sessionId)),
    prompt: ({ text }) => this.#attempt((connection) => this.#prompt(connection, text)),
    cancel: () => this.#attempt(async () => this.#session?.cancel()),
    change: ({ settingId, value }) =>
      this.#attempt(async () => this.#session?.changeSetting(settingId, value)),
    answer: ({ id, optionId }) =>
      this.#questions.find((question) => question.id === id)?.answer({ outcome: 'selected', optionId }),
  };

  #run<K extends WebviewMessage['type']>(type: K, message: WebviewMessage): void {
    // The table is keyed by the type of the message.
    this.#actions[type](message as Extract<WebviewMessage, { type: K }>);
  }

  async #open(connection: ClientConnection, sessionId: string): Promise<void> {
    const info = this.#state.sessions.find((session) => session.sessionId === sessionId);
    if (!info) return;
    this.#change({ loadedUpdates: 0 });
    try {
      const session = await connection.openSession(
        { sessionId, cwd: info.cwd },
        {
          onProgress: ({ session, updates }) => {
            this.#show(session);
            this.#change({ loadedUpdates: updates });
          },
        },
      );
      this.#show(session);
    } finally {
      this.#change({ loadedUpdates: null });
    }
  }

  async #prompt(connection: ClientConnection, text: string): Promise<void> {
    // After a crash, the agent can still be starting.
    await connection.ready;
    const session = this.#session ?? (await connection.newSession({ cwd: this.#editor.cwd() }));
    this.#show(session);
    const turn = session.prompt(text);
    const prompt = session.conversation.entries.at(-1);
    try {
      await turn;
    } catch (error) {
      // A prompt that the agent did not accept is removed from the conversation.
      const isKept = session.conversation.entries.some(({ key }) => key === prompt?.key);
      if (!isKept || error instanceof UsageError) this.#editor.post({ type: 'promptRefused', text });
      throw error;
    } finally {
      // The agent can have named the session.
      await this.#listSessions(connection).catch(() => {});
    }
  }

  async #listSessions(connection: ClientConnection): Promise<void> {
    if (!connection.supports('session.list')) return;
    const sessions: SessionInfo[] = [];
    for await (const info of connection.listSessions()) sessions.push(info);
    this.#change({ sessions });
  }

  /** Shows a session: its conversation is published from now on. */
  #show(session: Session | undefined): void {
    if (session === this.#session) return;
    this.#publisher?.stop();
    this.#session = session;
    this.#change({ sessionId: session?.sessionId ?? null });
    this.#ask(this.#questions);
    if (!session) return;
    const { sessionId } = session;
    // The webview creates the mirror when it receives the state.
    this.#postState();
    this.#publisher = publishConversation(session.store, {
      send: (message) => this.#editor.post({ type: 'conversation', sessionId, message }),
      schedule: (flush) => void setTimeout(flush, frameMs),
    });
  }

  #ask(questions: readonly OpenQuestion[]): void {
    this.#questions = questions;
    const shown = questions.filter(({ sessionId }) => sessionId === this.#session?.sessionId);
    this.#change({
      questions: shown.map(({ id, title, description, options }) => ({ id, title, description, options })),
    });
  }

  /** Shows an error instead of throwing it. */
  async #attempt(action: (connection: ClientConnection) => Promise<unknown>): Promise<void> {
    if (!this.#connection) return;
    try {
      await action(this.#connection);
    } catch (error) {
      this.#change({ problem: messageOf(error) });
    }
  }

  #change(change: Partial<PanelState>): void {
    this.#state = { ...this.#state, ...change };
    this.#postTimer ??= setTimeout(() => this.#postState(), frameMs);
  }

  #postState(): void {
    clearTimeout(this.#postTimer);
    this.#postTimer = undefined;
    this.#editor.post({ type: 'state', state: this.#state });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
