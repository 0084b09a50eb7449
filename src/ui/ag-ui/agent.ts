import type { AbstractAgent, HttpAgent, HttpAgentConfig } from '@ag-ui/client';
import type { ChatSession } from '../bridges/chat-source.ts';
import { agUiResponse } from './response.ts';

/** Options of {@link acpAgent}. */
export interface AcpAgentOptions
  extends Pick<HttpAgentConfig, 'agentId' | 'description' | 'initialMessages' | 'initialState'> {
  /** The class of `@ag-ui/client`. */
  readonly HttpAgent: typeof HttpAgent;
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
 * const agent = acpAgent(session, { HttpAgent, initialMessages: toAgUiMessages(session.conversation) });
 * agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Fix the failing test.' });
 * await agent.runAgent();
 * ```
 * @see https://docs.ag-ui.com/concepts/agents
 */
export function acpAgent(
  session: ChatSession,
  { HttpAgent: Agent, threadId = idOf(session), ...config }: AcpAgentOptions,
): AbstractAgent {
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
