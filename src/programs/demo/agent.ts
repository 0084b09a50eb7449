import type * as v from 'valibot';
import type { JsonObject } from '../../core/base/json.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { AgentEnd } from '../../core/transport/memory/memory-transport.ts';
import { noAnswer, Script } from '../../records/testing/script.ts';
import { type Dialect, dialects, v1WithoutDocuments } from './dialect.ts';
import { type Connection, OpenSession } from './open-session.ts';
import * as params from './params.ts';
import { initialMode, newSession, type Session } from './session.ts';
import type { SessionStore } from './store.ts';
import { Turns } from './turns.ts';

const sessionsPerPage = 2;

/** The sessions that a client has open, by their ids. */
type Open = Map<string, Turns>;

/**
 * Serves the demo agent over a channel, until the client ends its output.
 *
 * @param only - The only dialect that the agent speaks. Default: the client chooses the version.
 */
export function serveDemoAgent(channel: AgentEnd, store: SessionStore, only?: Dialect): void {
  const agent = new Script(channel);
  const open: Open = new Map();
  agent.on('initialize', (given) => {
    const { protocolVersion, clientCapabilities } = params.read(params.initialize, given);
    const chosen = negotiate(protocolVersion, only);
    const dialect = chosen === dialects.v1 && !clientCapabilities?.plan ? v1WithoutDocuments : chosen;
    serveSessions({ agent, dialect, store }, open);
    return { protocolVersion: dialect.protocolVersion, ...dialect.description };
  });
  channel.onEnd(async () => {
    await Promise.all([...open.values()].map((turns) => turns.close()));
    channel.exit({ exitCode: 0 });
  });
}

/** The dialect with the highest version that is not above the requested one. */
function negotiate(requested: number, only: Dialect | undefined): Dialect {
  const offered = only ? [only] : [dialects['v2-baseline'], dialects.v1];
  const dialect = offered.find(({ protocolVersion }) => protocolVersion <= requested);
  if (dialect) return dialect;
  const supported = offered.map(({ protocolVersion }) => protocolVersion).sort();
  throw new RequestError(-32022, `The agent does not speak version ${requested}.`, { requested, supported });
}

/** An error about a session, for a request that names it. */
const unknownSession = (sessionId: string, what = 'does not exist') =>
  new RequestError(-32002, `Session ${sessionId} ${what}.`, { sessionId });

function serveSessions(connection: Connection, open: Open): void {
  const { agent, dialect, store } = connection;

  /** `answer` returns the answer, or throws a `RequestError` to answer with an error. */
  const on = <S extends v.GenericSchema>(
    method: string,
    schema: S,
    answer: (given: v.InferOutput<S>, id: string | number) => unknown,
  ) => {
    if (dialect.missing.includes(method)) return;
    agent.on(method, (given, _, id) => answer(params.read(schema, given), id));
  };

  const turnsOf = ({ sessionId }: { readonly sessionId: string }): Turns => {
    const turns = open.get(sessionId);
    if (turns) return turns;
    throw unknownSession(sessionId, 'is not open');
  };
  const sessionOf = (given: { readonly sessionId: string }) => turnsOf(given).session;

  /** Opens a session, or one that is open already, with what the client gives it. */
  const attach = (data: Session, given: params.Opening): OpenSession => {
    const turns = open.get(data.sessionId) ?? new Turns(new OpenSession(connection, data));
    open.set(data.sessionId, turns);
    const { session } = turns;
    session.data.additionalDirectories = given.additionalDirectories;
    session.data.mode = params.chosenMode(given) ?? session.data.mode;
    session.server = given.mcpServers.find(({ type }) => type === 'http');
    session.save();
    return session;
  };

  const find = (sessionId: string): Session => {
    const found = open.get(sessionId)?.session.data ?? store.find(sessionId);
    if (found) return found;
    throw unknownSession(sessionId);
  };

  const reopen = (given: params.Reopening): JsonObject => {
    const session = attach(find(given.sessionId), given);
    if (given.replayFrom) session.sendHistory();
    session.sendPresent();
    return dialect.opened(session.data.mode);
  };

  const close = async (sessionId: string): Promise<JsonObject> => {
    await open.get(sessionId)?.close();
    open.delete(sessionId);
    return {};
  };

  on('session/new', params.create, (given, id) => {
    let number = 1;
    let created = newSession(`session-${number}`, given.cwd);
    while (!store.add(created)) created = newSession(`session-${++number}`, given.cwd);
    const session = attach(created, given);
    const { sessionId, mode } = session.data;
    agent.answer(id, { sessionId, ...dialect.opened(mode) });
    session.sendPresent();
    return noAnswer;
  });
  on('session/options', params.options, ({ sessionId }) =>
    dialect.opened(sessionId == null ? initialMode : find(sessionId).mode),
  );
  on('session/list', params.list, ({ cwd, cursor }) => {
    const sessions = [...store.list()]
      .filter((session) => cwd == null || session.cwd === cwd)
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || a.sessionId.localeCompare(b.sessionId));
    const start = sessions.findIndex(({ sessionId }) => sessionId === cursor) + 1;
    if (cursor != null && start === 0) throw new RequestError(-32602, `There is no cursor ${cursor}.`);
    const page = sessions.slice(start, start + sessionsPerPage);
    const nextCursor = sessions.length > start + sessionsPerPage ? page.at(-1)?.sessionId : undefined;
    return { sessions: page.map(listed), ...(nextCursor !== undefined && { nextCursor }) };
  });
  on('session/load', params.reopen, (given) => reopen({ ...given, replayFrom: { type: 'start' } }));
  on('session/resume', params.reopen, reopen);
  on('session/close', params.session, ({ sessionId }) => close(sessionId));
  on('session/delete', params.session, ({ sessionId }) => {
    store.delete(sessionId);
    return close(sessionId);
  });
  on('session/prompt', params.prompt, (given, id) => turnsOf(given).prompt(given, id));
  on('_session/steering', params.prompt, (given) => {
    const isTaken = sessionOf(given).steer(given.prompt, () => {});
    return isTaken ? { outcome: 'injected' } : { outcome: 'promptRequired', reason: 'noRunningTurn' };
  });
  on('session/inject', params.inject, (given, id) => {
    const isTaken = sessionOf(given).steer(given.content, (messageId) => agent.answer(id, { messageId }));
    if (isTaken) return noAnswer;
    throw new RequestError(-32010, 'No turn runs.', { reason: 'no_running_turn' });
  });
  on('session/cancel', params.session, ({ sessionId }) => open.get(sessionId)?.cancelAll());
  on('$/cancel_request', params.request, ({ requestId }) => {
    for (const turns of open.values()) turns.cancel(requestId);
  });
  on('session/set_mode', params.setMode, (given) => {
    sessionOf(given).setMode(given.modeId);
    return {};
  });
  on('session/set_config_option', params.setOption, (given) => {
    sessionOf(given).setMode(given.value);
    const { configOptions } = dialect.opened(given.value);
    return { configOptions };
  });
}

function listed({ sessionId, cwd, additionalDirectories, title, updatedAt }: Session): JsonObject {
  const others = additionalDirectories.length > 0 && { additionalDirectories };
  return { sessionId, cwd, ...others, title, updatedAt };
}
