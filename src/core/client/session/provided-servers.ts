import type { DiagnosticListener } from '../../base/diagnostic.ts';
import { deferred } from '../../base/wait.ts';
import type { McpServerConfig, SessionMcpServer } from '../../model/mcp-server.ts';
import { type ProvidedMcpServer, provideMcpServer } from '../../model/mcp-server.ts';
import type { ToolCallProgress } from '../../model/tool-call.ts';
import type { Caller } from '../calls/calls.ts';
import type { McpServerHost, ProvideMcpServer, ServedMcpServer } from './mcp-provider.ts';
import type { Session } from './session.ts';

/** The servers that serve one session in one process of the agent. */
type Hosting = readonly ServedMcpServer[];

/** Takes what the calls of tools show in their session. `progress` is `null` when the call has ended. */
interface ShownCalls {
  worked(sessionId: string, about: object): void;
  showToolProgress(sessionId: string, toolCallId: string, progress: ToolCallProgress | null): void;
}

/** The MCP servers that the editor provides to the sessions of a connection. */
export class ProvidedServers {
  readonly #report: DiagnosticListener;
  readonly #shown: () => ShownCalls;
  readonly #record: McpServerHost['record'];
  readonly #bySession = new Map<string, Hosting>();
  readonly #all = new Set<Hosting>();
  /** Whether the editor has provided a server. The agent may ask for it when its session is over. */
  areUsed = false;

  constructor(
    report: DiagnosticListener,
    shown: () => ShownCalls,
    record: McpServerHost['record'] = () => {},
  ) {
    this.#report = report;
    this.#shown = shown;
    this.#record = record;
  }

  /** Opens a session. Its provided servers are ready, and described as the agent can use them, before the call is written. */
  async open(
    given: readonly SessionMcpServer[] | undefined,
    caller: Caller,
    openWith: (described: readonly McpServerConfig[] | undefined) => Promise<Session>,
  ): Promise<Session> {
    if (!hasProvided(given)) {
      const session = await openWith(given);
      // Nothing waits for the end: the session must be returned before the agent's next message is handled.
      void this.release(session.sessionId);
      return session;
    }
    const session = deferred<Session>();
    // A server need not wait for it.
    session.promise.catch(() => {});
    const hosting: ServedMcpServer[] = [];
    this.areUsed = true;
    this.#all.add(hosting);
    try {
      const described: McpServerConfig[] = [];
      for (const server of given) {
        if (!isProvided(server)) described.push(server);
        else {
          // The key is the one under which a server of this library has the function.
          const provide = server[provideMcpServer] as ProvideMcpServer;
          const served = await provide(this.#hostOf(caller, session.promise));
          hosting.push(served);
          described.push(served.description);
        }
      }
      const open = await openWith(described);
      session.resolve(open);
      // The agent may have ended, and the session may be closed, while the call was answered.
      if (this.#all.has(hosting) && !open.isClosed) {
        void this.release(open.sessionId);
        this.#bySession.set(open.sessionId, hosting);
      } else void this.#release(hosting);
      return open;
    } catch (error) {
      session.reject(error);
      await this.#release(hosting);
      throw error;
    }
  }

  /** The server that the agent knows under this id, over the connection. */
  find(serverId: string): ServedMcpServer | undefined {
    const all = [...this.#all].flat();
    return all.find(({ description }) => description.type === 'acp' && description.serverId === serverId);
  }

  /** The user cancelled the turn of a session. */
  cancel(sessionId: string): void {
    for (const served of this.#bySession.get(sessionId) ?? []) served.cancel();
  }

  /** The user closes the session: a call that is under way can still be answered. */
  interrupt(sessionId: string): void {
    for (const served of this.#bySession.get(sessionId) ?? []) served.interrupt();
  }

  /** The user closes the connection. */
  interruptAll(): void {
    for (const hosting of this.#all) for (const served of hosting) served.interrupt();
  }

  /** The session is over. */
  async release(sessionId: string): Promise<void> {
    const hosting = this.#bySession.get(sessionId);
    this.#bySession.delete(sessionId);
    if (hosting) await this.#release(hosting);
  }

  /** The agent ended. */
  async releaseAll(): Promise<void> {
    this.#bySession.clear();
    await Promise.all([...this.#all].map((hosting) => this.#release(hosting)));
  }

  async #release(hosting: Hosting): Promise<void> {
    this.#all.delete(hosting);
    await Promise.all(hosting.map((served) => served.release()));
  }

  #hostOf(caller: Caller, session: Promise<Session>): McpServerHost {
    const show = (shown: (session: Session) => void) => void session.then(shown, () => {});
    return {
      explain: (feature) => caller.link.capabilities.explain(feature),
      report: this.#report,
      session,
      toolCallIdOf: (meta) =>
        caller.link.agent.toolCallKeys?.map((key) => meta?.[key]).find((value) => typeof value === 'string'),
      called: (toolCallId) => show(({ sessionId }) => this.#shown().worked(sessionId, { toolCallId })),
      showProgress: (toolCallId, progress) =>
        show(({ sessionId }) => this.#shown().showToolProgress(sessionId, toolCallId, progress)),
      notify: (message) => caller.notify({ method: 'mcp/message', params: message }, {}),
      record: this.#record,
    };
  }
}

/** The servers that are described, for what is checked before the others are ready. */
export function describedServers(
  given: readonly SessionMcpServer[] | undefined,
): readonly McpServerConfig[] | undefined {
  return hasProvided(given)
    ? given.filter((server): server is McpServerConfig => !isProvided(server))
    : given;
}

/** Whether the editor provides one of the servers. A value that is not a list is for the schema, which refuses it. */
function hasProvided(
  given: readonly SessionMcpServer[] | undefined,
): given is Exclude<typeof given, readonly McpServerConfig[] | undefined> {
  return Array.isArray(given) && given.some(isProvided);
}

function isProvided(server: SessionMcpServer): server is ProvidedMcpServer {
  return typeof server === 'object' && server !== null && provideMcpServer in server;
}
