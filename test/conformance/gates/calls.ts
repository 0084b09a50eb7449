import type { JsonObject } from '../../../src/core/base/json.ts';
import type { CallOptions } from '../../../src/core/client/calls/call-options.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { cwd } from '../../support/open-session.ts';
import { type Gate, methods } from './table.ts';

/** The parameters of a row, which are the same on the wire and in a typed call. */
// biome-ignore lint/suspicious/noExplicitAny: each call has its own type, and the row has JSON.
type Extra = any;

type OfConnection = (connection: ClientConnection, extra: Extra, options: CallOptions) => Promise<unknown>;
type OfSession = (session: Session, extra: Extra, options: CallOptions) => Promise<unknown>;

const opened = { sessionId: 's1', cwd };

/** The typed calls of a connection. */
export const ofConnection: Readonly<Record<string, OfConnection>> = {
  newSession: (connection, extra, options) => connection.newSession({ cwd, ...extra }, options),
  loadSession: (connection, extra, options) => connection.loadSession({ ...opened, ...extra }, options),
  resumeSession: (connection, extra, options) => connection.resumeSession({ ...opened, ...extra }, options),
  forkSession: (connection, extra, options) => connection.forkSession({ ...opened, ...extra }, options),
  sessionOptions: (connection, extra, options) => connection.sessionOptions({ cwd, ...extra }, options),
  listSessions: (connection, extra, options) => connection.listSessions(extra, options).page(),
  deleteSession: (connection, _, options) => connection.deleteSession('s1', options),
  login: (connection, _, options) => connection.login('key', options),
  logout: (connection, _, options) => connection.logout(options),
};

/** The typed calls of a session. */
export const ofSession: Readonly<Record<string, OfSession>> = {
  close: (session, _, options) => session.close(options),
  prompt: (session, { prompt = 'Hello' }, options) =>
    session.prompt(prompt, { ...options, idempotencyKey: 'k1' }).accepted,
  cancel: (session, _, options) => session.cancel(options),
  setMode: (session, _, options) => session.setMode('code', options),
  setConfigOption: (session, _, options) => session.setConfigOption('model', 'small', options),
  cancelToolCall: (session, _, options) => session.cancelToolCall('t1', options),
  cancelTerminal: (session, _, options) => session.cancelTerminal('x', options),
};

export interface TypedCall {
  readonly method: string;
  readonly gate: Gate;
  /** What the call sends besides its parameters. */
  readonly adds?: JsonObject;
}

const methodOf = {
  newSession: 'session/new',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  forkSession: 'session/fork',
  sessionOptions: 'session/options',
  listSessions: 'session/list',
  deleteSession: 'session/delete',
  close: 'session/close',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  setMode: 'session/set_mode',
  setConfigOption: 'session/set_config_option',
  cancelToolCall: 'tool_call/cancel',
  cancelTerminal: 'terminal/cancel',
} as const;

const version1 = { ...methodOf, login: 'authenticate', logout: 'logout' };
const version2 = { ...methodOf, login: 'auth/login', logout: 'auth/logout' };

/** Calls that a dialect does not have, with the method that the error names. */
export const missingCalls: Readonly<Record<DialectName, Readonly<Record<string, string>>>> = {
  v1: { cancelToolCall: 'tool_call/cancel', cancelTerminal: 'terminal/cancel' },
  'v2-markers': { setMode: 'session/set_mode' },
  'v2-baseline': { setMode: 'session/set_mode' },
};

/** The method and the gate of a typed call; `undefined` where the dialect does not have the call. */
export function typedCall(dialect: DialectName, name: string): TypedCall | undefined {
  if (Object.hasOwn(missingCalls[dialect], name)) return undefined;
  if (dialect === 'v2-baseline' && name === 'loadSession') {
    // Version 2 loads a session by resuming it with a replay.
    const { replayFrom: _, ...parameters } = methods[dialect]['session/resume']?.parameters ?? {};
    return {
      method: 'session/resume',
      gate: { requires: 'session.load', parameters },
      adds: { replayFrom: { type: 'start' } },
    };
  }
  const method = (dialect === 'v1' ? version1 : version2)[name as keyof typeof version1];
  const gate = methods[dialect][method];
  if (!gate) throw new Error(`The table has no ${method} in ${dialect}.`);
  // Resuming without a replay is a call of its own.
  const { replayFrom: _, ...parameters } = gate.parameters ?? {};
  const adds = dialect !== 'v1' && name === 'prompt' ? { idempotencyKey: 'k1' } : {};
  return { method, gate: { ...gate, parameters }, adds };
}
