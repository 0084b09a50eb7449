import type { JsonObject } from '../../base/json.ts';
import { RequestError } from '../../rpc/request-error.ts';
import { noAnswer, Script } from '../../testing/script.ts';
import type { AgentEnd } from '../../transport/memory/memory-transport.ts';
import { type Dialect, dialects, v1WithoutDocuments } from './dialect.ts';
import { type Connection, OpenSession } from './open-session.ts';
import * as params from './params.ts';
import { initialMode } from './session.ts';
import type { SessionStore } from './store.ts';

const sessionsPerPage = 2;

/**
 * Serves the demo agent over a channel, until the client ends its output.
 *
 * @param only - The only dialect that the agent speaks. Default: the client chooses the version.
 */
export function serveDemoAgent(channel: AgentEnd, store: SessionStore, only?: Dialect): void {
  const agent = new Script(channel);
  const open = new Map<string, OpenSession>();
  agent.on('initialize', (given) => {
    const { protocolVersion, clientCapabilities } = params.read(params.initialize, given);
    const chosen = negotiate(protocolVersion, only);
    const dialect = chosen === dialects.v1 && !clientCapabilities?.plan ? v1WithoutDocuments : chosen;
    const methods = methodsOf({ agent, dialect, save: store.save }, store, open);
    for (const [method, answer] of Object.entries(methods)) {
      if (!dialect.missing.includes(method)) agent.on(method, (given, _, id) => answer(given, id));
    }
    return { protocolVersion: dialect.protocolVersion, ...dialect.description };
  });
  channel.onEnd(async () => {
    await Promise.all([...open.values()].map((session) => session.close()));
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

/** Each returns the answer to a request. Throws a `RequestError` to answer with an error. */
type Methods = Readonly<Record<string, (given: JsonObject, id: string | number) => unknown>>;

function methodsOf(connection: Connection, store: SessionStore, open: Map<string, OpenSession>): Methods {
  const { agent, dialect } = connection;

  const openSession = (given: JsonObject): OpenSession => {
    const { sessionId } = params.read(params.session, given);
    const session = open.get(sessionId);
    if (session) return session;
    throw new RequestError(-32002, `Session ${sessionId} is not open.`, { sessionId });
  };

  const reopen = (given: params.Reopen): JsonObject => {
    const { sessionId, additionalDirectories, mcpServers, configOptions, replayFrom } = given;
    const stored = store.find(sessionId);
    const found = open.get(sessionId) ?? (stored && new OpenSession(connection, stored));
    if (!found) throw new RequestError(-32002, `There is no session ${sessionId}.`, { sessionId });
    found.session.additionalDirectories = additionalDirectories ?? [];
    found.session.mode = params.chosenMode(configOptions) ?? found.session.mode;
    found.takeServers(mcpServers ?? []);
    open.set(sessionId, found);
    if (replayFrom) found.sendHistory();
    found.sendPresent();
    return dialect.opened(found.session.mode);
  };

  const close = async (sessionId: string): Promise<JsonObject> => {
    await open.get(sessionId)?.close();
    open.delete(sessionId);
    return {};
  };

  return {
    'session/new'(given, id) {
      const { cwd, additionalDirectories, mcpServers, configOptions } = params.read(params.create, given);
      const session = new OpenSession(connection, store.create(cwd, additionalDirectories ?? []));
      session.takeServers(mcpServers ?? []);
      session.session.mode = params.chosenMode(configOptions) ?? session.session.mode;
      const { sessionId, mode } = session.session;
      open.set(sessionId, session);
      agent.answer(id, { sessionId, ...dialect.opened(mode) });
      session.sendPresent();
      return noAnswer;
    },
    'session/options'(given) {
      const { sessionId } = params.read(params.options, given);
      if (sessionId == null) return dialect.opened(initialMode);
      const stored = open.get(sessionId)?.session ?? store.find(sessionId);
      if (stored) return dialect.opened(stored.mode);
      throw new RequestError(-32002, `There is no session ${sessionId}.`, { sessionId });
    },
    'session/list'(given) {
      const { cwd, cursor } = params.read(params.list, given);
      const sessions = [...store.list()]
        .filter((session) => cwd == null || session.cwd === cwd)
        .sort((a, b) => compare(b.updatedAt, a.updatedAt) || compare(a.sessionId, b.sessionId));
      const start = sessions.findIndex(({ sessionId }) => sessionId === cursor) + 1;
      if (cursor != null && start === 0) throw new RequestError(-32602, `There is no cursor ${cursor}.`);
      const page = sessions.slice(start, start + sessionsPerPage);
      const nextCursor = sessions.length > start + sessionsPerPage ? page.at(-1)?.sessionId : undefined;
      return {
        sessions: page.map(({ sessionId, cwd, additionalDirectories, title, updatedAt }) => ({
          sessionId,
          cwd,
          ...(additionalDirectories.length > 0 && { additionalDirectories }),
          title,
          updatedAt,
        })),
        ...(nextCursor !== undefined && { nextCursor }),
      };
    },
    'session/load': (given) =>
      reopen({ ...params.read(params.reopen, given), replayFrom: { type: 'start' } }),
    'session/resume': (given) => reopen(params.read(params.reopen, given)),
    'session/close': (given) => close(params.read(params.session, given).sessionId),
    async 'session/delete'(given) {
      const { sessionId } = params.read(params.session, given);
      store.delete(sessionId);
      return close(sessionId);
    },
    'session/prompt': (given, id) => openSession(given).prompt(params.read(params.prompt, given).prompt, id),
    '_session/steering'(given) {
      const isTaken = openSession(given).steer(params.read(params.prompt, given).prompt, () => {});
      return isTaken ? { outcome: 'injected' } : { outcome: 'promptRequired', reason: 'noRunningTurn' };
    },
    'session/inject'(given, id) {
      const { content } = params.read(params.inject, given);
      const answer = (messageId: string) => agent.answer(id, { messageId });
      if (openSession(given).steer(content, answer)) return noAnswer;
      throw new RequestError(-32010, 'No turn runs.', { reason: 'no_running_turn' });
    },
    'session/revoke_inject'(given) {
      const { messageId } = params.read(params.revoke, given);
      openSession(given);
      // A turn gets a message at once.
      throw new RequestError(-32010, 'The turn has it.', { reason: 'already_delivered', messageId });
    },
    'session/cancel': ({ sessionId }) => open.get(String(sessionId))?.cancel(),
    '$/cancel_request'({ requestId }) {
      if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
      for (const session of open.values()) session.cancel(requestId);
    },
    'session/set_mode'(given) {
      openSession(given).setMode(params.read(params.setMode, given).modeId);
      return {};
    },
    'session/set_config_option'(given) {
      const { value } = params.read(params.setOption, given);
      openSession(given).setMode(value);
      return { configOptions: dialect.configOptions(value) };
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
