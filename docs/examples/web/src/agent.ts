import {
  type ClientConnection,
  connect,
  type HandlerContext,
  type PermissionOutcome,
  type PermissionRequest,
  RemoteError,
  type Session,
  type SessionInfo,
  webSocketTransport,
} from 'acp-client-sdk';

/** A permission that the agent waits for. */
export interface Question {
  readonly key: number;
  readonly sessionId: string;
  readonly request: PermissionRequest;
  readonly answer: (outcome: PermissionOutcome) => void;
}

/** All that the page shows, beside the conversation itself. */
export interface AgentState {
  readonly phase: 'connecting' | 'open' | 'closed';
  readonly name: string;
  readonly sessions: readonly SessionInfo[];
  readonly session: Session | null;
  readonly loading: boolean;
  readonly questions: readonly Question[];
  /** What went wrong last, for the user. */
  readonly problem: string | null;
}

const atFirst: AgentState = {
  phase: 'connecting',
  name: 'Agent',
  sessions: [],
  session: null,
  // Until the first session is shown: what the user chose meanwhile would be lost.
  loading: true,
  questions: [],
  problem: null,
};

/** The page's agent: one connection, one session that is shown, and the questions that wait for the user. */
export class Agent {
  readonly #url: string;
  readonly #listeners = new Set<() => void>();
  #state = atFirst;
  #connection: ClientConnection | undefined;
  #questionCount = 0;

  constructor(url: string) {
    this.#url = url;
  }

  // The two that `useSyncExternalStore` takes.
  readonly getSnapshot = (): AgentState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  async connect(): Promise<void> {
    this.#change(atFirst);
    try {
      const connection = await connect(webSocketTransport(new WebSocket(this.#url)), {
        clientInfo: { name: 'web-example', title: 'Web example', version: '1.0.0' },
        handlers: { requestPermission: (request, context) => this.#ask(request, context) },
      });
      this.#connection = connection;
      this.#change({
        phase: 'open',
        name: connection.agentInfo?.title ?? connection.agentInfo?.name ?? 'Agent',
      });
      void connection.closed.then(({ error }) =>
        this.#change({ phase: 'closed', problem: error?.message ?? 'The connection was closed.' }),
      );
    } catch (error) {
      this.#change({ phase: 'closed', problem: messageOf(error) });
      return;
    }
    await this.refresh();
    const first =
      this.#state.sessions.find(({ sessionId }) => `#${sessionId}` === location.hash) ??
      this.#state.sessions[0];
    if (first) await this.load(first);
    else this.#change({ loading: false });
  }

  /** Lists the sessions again. */
  refresh(): Promise<void> {
    return this.#attempt(async (connection) => {
      if (!connection.supports('session.list')) return;
      const sessions: SessionInfo[] = [];
      for await (const info of connection.listSessions()) sessions.push(info);
      this.#change({ sessions });
    });
  }

  /** Opens a session with its history, or reads that of an open one again. */
  load({ sessionId, cwd }: Pick<SessionInfo, 'sessionId' | 'cwd'>): Promise<void> {
    return this.#open((connection) => connection.openSession({ sessionId, cwd }));
  }

  begin(cwd: string): Promise<void> {
    return this.#open((connection) => connection.newSession({ cwd }));
  }

  /** Resolves to whether the agent accepted the prompt. */
  prompt(session: Session, text: string): Promise<boolean> {
    const turn = session.prompt(text);
    void this.#attempt(async () => {
      await turn;
      // The agent may have given the session a title, and its place in the list has changed.
      await this.refresh();
    });
    return turn.accepted.then(
      () => true,
      // The turn failed. The prompt may be part of the transcript all the same.
      (error: unknown) => error instanceof RemoteError && error.promptAccepted === true,
    );
  }

  cancel(session: Session): Promise<void> {
    return this.#attempt(() => session.cancel());
  }

  dismissProblem(): void {
    this.#change({ problem: null });
  }

  async #open(open: (connection: ClientConnection) => Promise<Session>): Promise<void> {
    this.#change({ loading: true });
    await this.#attempt(async (connection) => {
      const session = await open(connection);
      this.#change({ session });
      history.replaceState(null, '', `#${session.sessionId}`);
    });
    this.#change({ loading: false });
  }

  /** What fails is shown; nothing of it is thrown. */
  async #attempt(action: (connection: ClientConnection) => Promise<void>): Promise<void> {
    if (!this.#connection) return;
    try {
      await action(this.#connection);
    } catch (error) {
      this.#change({ problem: messageOf(error) });
    }
  }

  /** Resolves when the user has answered. The signal is aborted when the answer is not needed any more. */
  #ask(request: PermissionRequest, { session, signal }: HandlerContext): Promise<PermissionOutcome> {
    return new Promise((resolve) => {
      const key = ++this.#questionCount;
      const answer = (outcome: PermissionOutcome) => {
        this.#change({ questions: this.#state.questions.filter((question) => question.key !== key) });
        resolve(outcome);
      };
      signal.addEventListener('abort', () => answer({ outcome: 'cancelled' }), { once: true });
      const question: Question = { key, sessionId: session.sessionId, request, answer };
      this.#change({ questions: [...this.#state.questions, question] });
    });
  }

  #change(change: Partial<AgentState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
