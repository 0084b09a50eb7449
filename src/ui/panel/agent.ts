import { lastLines } from '../../core/base/printable.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { describeEnd } from '../../core/client/reconnect.ts';
import type { TransportEnd } from '../../core/transport/transport.ts';
import { loginMethods } from './login.ts';
import type { AgentDescription, EndReport } from './machine/state.ts';
import type { PanelState } from './state.ts';

/** What the pages show of a connection. */
export function descriptionOf(connection: ClientConnection): AgentDescription {
  const { state: phase, agentInfo, features, authMethods } = connection;
  const { nextAttemptAt } = connection.reconnection;
  const agent = agentInfo && {
    name: agentInfo.name,
    title: agentInfo.title ?? null,
    version: agentInfo.version,
  };
  return { phase, nextAttemptAt, agent: agent ?? null, features, authMethods: loginMethods(authMethods) };
}

/** How an agent ended, as the user reads it. */
export function endReport(end: TransportEnd, agent: PanelState['agent']): EndReport {
  const stderr = end.exit ? lastLines(end.exit.stderrTail) : '';
  return {
    reason: describeEnd(end, agent?.title ?? agent?.name),
    detail: stderr === '' ? null : stderr,
    code: end.exit ? 'agent.exit' : 'connection.closed',
  };
}
