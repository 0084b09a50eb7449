import type { AbstractAgent, HttpAgent, HttpAgentConfig } from '@ag-ui/client';
import type { ChatSession } from '../bridges/chat-source.ts';
import { agUiResponse } from './response.ts';

/** Options of {@link acpAgent}. */
export interface AcpAgentOptions
  extends Pick<HttpAgentConfig, 'agentId' | 'description' | 'initialMessages' | 'initialState'> {
  /** The class of `@ag-ui/client`. In Node it is found if it is absent. A page has to pass it. */
  readonly HttpAgent?: typeof HttpAgent | undefined;
  /** Default: the id of the session. */
  readonly threadId?: string | undefined;
}

/**
 * AG-UI's agent for a session: one in this process, or the one that a panel shows (`connectPanel`). It is an `HttpAgent`
 * whose requests are answered here by {@link agUiResponse}, which says what a run does. Pass {@link askInChat} as the
 * handler of the connection.
 *
 * @example
 * ```ts
 * const agent = acpAgent(session, { initialMessages: toAgUiMessages(session.conversation) });
 * agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Fix the failing test.' });
 * await agent.runAgent();
 * ```
 * @see https://docs.ag-ui.com/concepts/agents
 */
export function acpAgent(session: ChatSession, options: AcpAgentOptions = {}): AbstractAgent {
  const { HttpAgent: Agent = installedHttpAgent(), threadId = idOf(session), ...config } = options;
  return new Agent({
    ...config,
    ...(threadId !== undefined && { threadId }),
    url: 'http://localhost/',
    fetch: (url, init) => agUiResponse(session, new Request(url, init)),
  });
}

function idOf(session: ChatSession): string | undefined {
  if ('sessionId' in session) return session.sessionId;
  return session.getSnapshot().conversation?.sessionId;
}

/** In a page, bundlers have to find the package. */
function installedHttpAgent(): typeof HttpAgent {
  const { createRequire } = globalThis.process?.getBuiltinModule?.('node:module') ?? {};
  if (!createRequire) {
    throw new TypeError(
      "acpAgent needs the class HttpAgent here. Pass it: import { HttpAgent } from '@ag-ui/client', and acpAgent(session, { HttpAgent }).",
    );
  }
  // CommonJS has no `import.meta.url`. `node -e` defines `__filename` also for ES modules.
  const place = import.meta.url ?? __filename;
  // Sound: the package exports this class under this name.
  return (createRequire(place)('@ag-ui/client') as { HttpAgent: typeof HttpAgent }).HttpAgent;
}
