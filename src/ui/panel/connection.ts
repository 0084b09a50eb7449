import { lastLines } from '../../core/base/printable.ts';
import { SentSecrets } from '../../core/base/secrets.ts';
import type { ConnectOptions } from '../../core/client/connect.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { printDiagnostics } from '../../core/client/diagnostics.ts';
import { describeEnd } from '../../core/client/reconnect.ts';
import type { ClientHandlers } from '../../core/client/requests/handlers.ts';
import type { TransportEnd } from '../../core/transport/transport.ts';
import { loginMethods } from './login.ts';
import type { AgentDescription, EndReport } from './machine/state.ts';
import type { PanelOptions } from './options.ts';
import type { QuestionHandlers } from './questions.ts';
import type { PanelState } from './state.ts';

/**
 * The options of `connect`, with the handlers of the panel where the editor has none.
 *
 * @param cancelIgnored - Called when a session goes on with a turn that was cancelled.
 */
export function connectOptions(
  { connect, editor }: PanelOptions,
  { requestPermission, elicit, requireLogin }: QuestionHandlers,
  cancelIgnored: (sessionId: string) => void,
): ConnectOptions {
  const own = typeof connect === 'function' ? connect() : connect;
  // They have no secrets any more.
  const { onDiagnostic = printDiagnostics(new SentSecrets()).report } = own;
  return {
    ...own,
    handlers: withHandlers(own.handlers, { requestPermission, elicit }),
    onDiagnostic(diagnostic) {
      const { rule, sessionId } = diagnostic;
      if (rule === 'session.cancel_ignored' && sessionId !== undefined) cancelIgnored(sessionId);
      onDiagnostic(diagnostic);
    },
    onAuthRequired: own.onAuthRequired ?? requireLogin,
    reconnect: own.reconnect ?? { maxAttempts: 3 },
    ...(editor?.loginInTerminal && { terminalLogin: own.terminalLogin ?? true }),
  };
}

/** The editor's handlers and those that it does not have. They can be an instance of a class. */
function withHandlers(own: ClientHandlers = {}, panel: ClientHandlers): ClientHandlers {
  const missing = Object.fromEntries(
    Object.entries(panel).filter(([name]) => Reflect.get(own, name) === undefined),
  );
  const prototype: unknown = Object.getPrototypeOf(own);
  if (prototype === Object.prototype || prototype === null) return { ...own, ...missing };
  // Methods of a class are called with their object, which has more than the handlers.
  return new Proxy(own, { get: (target, name) => Reflect.get(missing, name) ?? boundIn(target, name) });
}

function boundIn(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? member.bind(target) : member;
}

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
