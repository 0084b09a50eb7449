import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { CallOptions } from '../client/calls/call-options.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { Session } from '../client/session/session.ts';
import type { ContentBlock } from '../model/content.ts';
import type { DialectName } from '../protocol/dialect.ts';
import { paramsOf, sessionIdOf } from './recorded-agent.ts';

/** How a call opens a session that exists: with its history or without. */
export type Opening = 'load' | 'resume';

/** How a recorded call opens a session that exists, if it does. */
export function openingOf(message: JsonObject, dialect: DialectName): Opening | undefined {
  const { method } = message;
  const isBaseline = dialect === 'v2-baseline';
  if (method === 'session/load' && !isBaseline) return 'load';
  if (method !== 'session/resume') return undefined;
  return isBaseline && isJsonObject(paramsOf(message)['replayFrom']) ? 'load' : 'resume';
}

/** Makes a recorded call again that opens a session. Returns nothing where the dialect has no such call. */
type OpeningCall = (
  connection: ClientConnection,
  message: JsonObject,
  options: CallOptions,
) => Promise<Session> | undefined;

/** A directory, where a call takes one. It is not part of a conversation. */
const cwd = '/';

const reopen: OpeningCall = (connection, message, options) => {
  const opening = openingOf(message, connection.dialect);
  const params = { sessionId: String(sessionIdOf(message)), cwd };
  // The client that was recorded has sent it.
  if (opening === 'load') return connection.loadSession(params, { ...options, duringTurn: 'load' });
  return opening && connection.resumeSession(params, options);
};

/** The calls that open a session, by their methods. */
export const openingCalls: Readonly<Record<string, OpeningCall>> = {
  'session/new': (connection, _message, options) => connection.newSession({ cwd }, options),
  'session/fork': (connection, message, options) =>
    connection.forkSession({ sessionId: String(sessionIdOf(message)), cwd }, options),
  'session/load': reopen,
  'session/resume': reopen,
};

/** Makes a recorded call again that changes the conversation of an open session. */
type SessionCall = (
  session: Session,
  params: JsonObject,
  options: CallOptions,
  connection: ClientConnection,
) => Promise<unknown>;

/** Steers a message again. A prompt that was sent in its place is a call of its own. */
const steer = (session: Session, content: unknown, options: CallOptions) =>
  // `steer` checks its argument.
  session.steer(content as readonly ContentBlock[], { ...options, fallback: 'none' });

/** The calls that change the conversation of an open session, by their methods. */
export const sessionCalls: Readonly<Record<string, SessionCall>> = {
  // The turn of a prompt that is cancelled as a request goes on until the agent ends it.
  'session/prompt': (session, { prompt }, { signal: _, ...options }) =>
    // `prompt` checks its argument.
    session.prompt(prompt as unknown as readonly ContentBlock[], options),
  '_session/steering': (session, { prompt }, options) => steer(session, prompt, options),
  'session/inject': (session, { content }, options) => steer(session, content, options),
  'session/revoke_inject': async (session, { messageId }, options) => {
    const { pendingMessages = [] } = session.conversation;
    const message = pendingMessages.find((pending) => pending.messageId === messageId);
    if (message) await session.revoke(message.id, options);
  },
  'session/cancel': (session, _params, options) => session.cancel(options),
  'session/set_mode': (session, { modeId }, options) => session.setMode(String(modeId), options),
  'session/set_config_option': (session, { configId, value }, options) =>
    session.setConfigOption(String(configId), typeof value === 'boolean' ? value : String(value), options),
  'session/close': (session, _params, options) => session.close(options),
  'session/delete': ({ sessionId }, _params, options, connection) =>
    connection.deleteSession(sessionId, options),
};

/** Whether a call can change a conversation, and so is made again. */
export function isRepeated(method: string): boolean {
  return Object.hasOwn(openingCalls, method) || Object.hasOwn(sessionCalls, method);
}
