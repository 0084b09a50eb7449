import type { JsonObject } from '../json.ts';
import type { Connection } from './connection.ts';
import { openSession, openSessionOf, sendUpdate } from './connection.ts';
import type { Settings, StoredSession } from './history.ts';
import type { OpenSession } from './open-session.ts';
import {
  checkMcpServers,
  isGiven,
  readAbsolutePath,
  readAdditionalDirectories,
  readObject,
  readOptionalString,
  readString,
} from './params.ts';
import type { Reply } from './peer.ts';
import type { ReplayStyle } from './replay.ts';
import { replay } from './replay.ts';
import { rpcErrors } from './rpc-error.ts';
import { isMode } from './settings.ts';

export type Method = (
  connection: Connection,
  params: JsonObject,
  cancelled: AbortSignal,
) => Reply | Promise<Reply>;

export const newSession: Method = (connection, params) => {
  const cwd = readAbsolutePath(params, 'cwd');
  const session = openSession(connection, connection.store.add(cwd, readAdditionalDirectories(params)));
  const { sessionId, settings } = session.stored;
  return {
    result: { sessionId, ...connection.encoder.opened(settings) },
    afterwards: () => void session.emit({ type: 'commands' }),
  };
};

export const listSessions: Method = ({ store }, params) => {
  const cursor = readOptionalString(params, 'cursor');
  const page = store.page({
    ...(isGiven(params['cwd']) && { cwd: readAbsolutePath(params, 'cwd') }),
    ...(cursor !== undefined && { cursor }),
  });
  if (!page) throw rpcErrors.invalidParams('cursor', 'one that a list came with');
  const { sessions, nextCursor } = page;
  return { result: { sessions: sessions.map(sessionInfo), ...(nextCursor && { nextCursor }) } };
};

/** Replays the history, then answers. */
export function loadSession(style: ReplayStyle): Method {
  return (connection, params) => {
    const session = reopenSession(connection, params);
    replayHistory(connection, session, style);
    return { result: connection.encoder.opened(session.stored.settings) };
  };
}

/** Takes a session up again without a word of its history. */
export const resumeSession: Method = (connection, params) => {
  const session = reopenSession(connection, params);
  void session.emit({ type: 'commands' });
  return { result: connection.encoder.opened(session.stored.settings) };
};

/** Takes a session up again, with its history where that is asked for, and says what it is doing now. */
export function resumeSessionFrom(style: ReplayStyle): Method {
  return (connection, params) => {
    const { replayFrom } = params;
    if (isGiven(replayFrom) && readObject(replayFrom, 'replayFrom')['type'] !== 'start') {
      throw rpcErrors.invalidParams('replayFrom.type', '"start"');
    }
    const session = reopenSession(connection, params);
    if (isGiven(replayFrom)) replayHistory(connection, session, style);
    else void session.emit({ type: 'commands' });
    void session.emit({ type: 'state', state: session.state });
    return { result: connection.encoder.opened(session.stored.settings) };
  };
}

/** A session that is not open counts as closed already. */
export const closeSession: Method = async ({ openSessions }, params) => {
  const sessionId = readString(params, 'sessionId');
  const session = openSessions.get(sessionId);
  openSessions.delete(sessionId);
  await session?.close();
  return { result: {} };
};

export const deleteSession: Method = async (connection, params, cancelled) => {
  const reply = await closeSession(connection, params, cancelled);
  connection.store.delete(readString(params, 'sessionId'));
  return reply;
};

export const setMode: Method = (connection, params) => {
  const session = openSessionOf(connection, params);
  const { modeId } = params;
  if (!isMode(modeId)) throw rpcErrors.invalidParams('modeId', 'the id of a mode of this session');
  const settings = { ...session.stored.settings, mode: modeId };
  void session.emit({ type: 'options_changed', settings });
  session.save();
  return { result: {} };
};

/** `typed`: whether the value must come with its type, as it must since version 2 says so. */
export function setConfigOption(values: 'typed' | 'untyped'): Method {
  return (connection, params) => {
    const session = openSessionOf(connection, params);
    const configId = readString(params, 'configId');
    const { settings: before } = session.stored;
    const settings = changeSetting(before, configId, params, values);
    if (settings.mode === before.mode) session.remember({ type: 'options_changed', settings });
    else void session.emit({ type: 'mode_changed', settings });
    session.save();
    return { result: { configOptions: connection.encoder.configOptions(settings) } };
  };
}

function changeSetting(
  settings: Settings,
  configId: string,
  { type, value }: JsonObject,
  values: 'typed' | 'untyped',
): Settings {
  if (configId === 'mode') {
    if (values === 'typed' && type !== 'id') throw rpcErrors.invalidParams('type', '"id"');
    if (!isMode(value)) throw rpcErrors.invalidParams('value', 'one of the values of this option');
    return { ...settings, mode: value };
  }
  if (configId === 'thoughts') {
    if (type !== 'boolean') throw rpcErrors.invalidParams('type', '"boolean"');
    if (typeof value !== 'boolean') throw rpcErrors.invalidParams('value', 'true or false');
    return { ...settings, thoughts: value };
  }
  throw rpcErrors.invalidParams('configId', 'the id of an option of this session');
}

/** The directories are those of the request: none where it names none. The working directory stays what it was. */
function reopenSession(connection: Connection, params: JsonObject): OpenSession {
  const sessionId = readString(params, 'sessionId');
  readAbsolutePath(params, 'cwd');
  const additionalDirectories = readAdditionalDirectories(params);
  const open = connection.openSessions.get(sessionId);
  if (open) return open;
  const stored = connection.store.read(sessionId);
  if (!stored) throw rpcErrors.sessionNotFound(sessionId);
  return openSession(connection, { ...stored, additionalDirectories });
}

/** All of it is handed to the writer at once, so that nothing that happens meanwhile comes in between. */
function replayHistory(connection: Connection, { stored }: OpenSession, style: ReplayStyle): void {
  for (const event of replay(stored, style)) void sendUpdate(connection, stored.sessionId, event);
  void sendUpdate(connection, stored.sessionId, { type: 'commands' });
}

function sessionInfo({ sessionId, cwd, additionalDirectories, title, updatedAt }: StoredSession): JsonObject {
  return {
    sessionId,
    cwd,
    ...(additionalDirectories.length > 0 && { additionalDirectories }),
    title,
    updatedAt,
  };
}

/** Wraps a method whose parameters must name the MCP servers. */
export function requiringMcpServers(method: Method): Method {
  return (connection, params, cancelled) => {
    checkMcpServers(params['mcpServers']);
    return method(connection, params, cancelled);
  };
}

/** Wraps a method whose parameters may name MCP servers. */
export function takingMcpServers(method: Method): Method {
  return (connection, params, cancelled) => {
    if (isGiven(params['mcpServers'])) checkMcpServers(params['mcpServers']);
    return method(connection, params, cancelled);
  };
}
