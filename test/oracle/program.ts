import type { JsonObject } from '../../src/core/base/json.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { ClientHandlers } from '../../src/core/client/requests/handlers.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { sampleOf } from '../conformance/gates/table.ts';
import { connectTo, settle } from '../support/agents.ts';
import { cwd, flush, type Opened, type OpenSessionOptions, openSession } from '../support/open-session.ts';

/**
 * A program that looks at everything that the library shows it: results, conversations, and what its listeners and
 * handlers get. It tells what it saw after an agent sent one message.
 */

/** What a program of one version sees of a message. */
export type Read = (version: 1 | 2, message: JsonObject) => Promise<unknown>;

const dialectOf: Readonly<Record<1 | 2, DialectName>> = { 1: 'v1', 2: 'v2-baseline' };

type Start = Pick<OpenSessionOptions, 'script' | 'opened'>;

/** Starts a program with a session `s1` that looks at everything. `seen` grows. */
async function start(version: 1 | 2, options: Start = {}): Promise<Opened & { readonly seen: unknown[] }> {
  const seen: unknown[] = [];
  const see =
    <T>(place: string, answer?: T) =>
    (...values: readonly unknown[]) => {
      seen.push(place, values.map(asData));
      return answer as T;
    };
  const handlers: ClientHandlers = {
    requestPermission: see('requestPermission', { outcome: 'cancelled' }),
    readTextFile: see('readTextFile', { content: '' }),
    writeTextFile: see('writeTextFile'),
    terminals: {
      create(request, context) {
        see('terminals.create')(request, context);
        // The commands of a test are the ids of their terminals.
        return { terminalId: request.command };
      },
      output: see('terminals.output', { output: '', truncated: false }),
      waitForExit: see('terminals.waitForExit', { exitCode: 0, signal: null }),
      kill: see('terminals.kill'),
      release: see('terminals.release'),
    },
    elicit: {
      form: see('elicit.form', { action: 'decline' }),
      url: see('elicit.url', { action: 'accept' }),
      completed: see('elicit.completed'),
    },
    mcpMessage: see('mcpMessage', { result: null }),
    authStatusChanged: see('authStatusChanged'),
  };
  const opened = await openSession(dialectOf[version], { ...options, handlers });
  opened.session.onUpdate(see('onUpdate'));
  opened.session.onEvent(see('onUpdate'));
  opened.session.onNotice(see('onNotice'));
  return { ...opened, seen };
}

/** A value as JSON. Of a session only its id is data, and a store and a signal are not. */
function asData(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof AbortSignal || isStore(part)) return undefined;
    return isSession(part) ? part.sessionId : part;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

const isStore = (value: unknown) => typeof value === 'object' && value !== null && 'getSnapshot' in value;

const isSession = (value: unknown): value is Session =>
  typeof value === 'object' && value !== null && 'onUpdate' in value;

export const readUpdate: Read = async (version, message) => {
  const { agent, session, conversation, seen } = await start(version);
  agent.notify('session/update', { ...message, sessionId: 's1' });
  await flush(agent);
  await settle();
  return [seen, conversation(), session.subagents.map(asData)];
};

/** A notification that is not about a session. */
export const readNotification =
  (method: string): Read =>
  async (version, params) => {
    const { agent, seen } = await start(version);
    agent.notify(method, params);
    await flush(agent);
    await settle();
    return seen;
  };

/** A request of the agent, in the session that it names. A request about a terminal needs one. */
export const readRequest =
  (method: string): Read =>
  async (version, params) => {
    const sessionId = params['sessionId'] ?? 's1';
    const { agent, seen } = await start(version, { opened: { sessionId } });
    if (typeof params['terminalId'] === 'string')
      await agent.request('terminal/create', { sessionId, command: params['terminalId'] });
    await agent.request(method, params);
    return seen;
  };

/** The end of a request for information needs the request. */
export const readCompletion: Read = async (version, params) => {
  const { agent, seen } = await start(version);
  const { elicitationId } = params;
  const request = { sessionId: 's1', mode: 'url', message: 'Open it.', url: 'https://example.com' };
  await agent.request('elicitation/create', { ...request, elicitationId: String(elicitationId) });
  agent.notify('elicitation/complete', params);
  await flush(agent);
  await settle();
  return seen;
};

export const readInitialize: Read = async (version, answer) => {
  const { connection } = await connectTo({ ...answer, protocolVersion: version });
  return asData(connection.initializeResult);
};

/** In version 2 the turn ends later, when the agent is idle. */
export const readPrompt: Read = async (version, answer) => {
  const { agent, session, conversation } = await start(version, {
    script: (scripted) => scripted.on('session/prompt', answer),
  });
  const turn = session.prompt('Hello.');
  await settle();
  // A state without a reason ends nothing that has not begun.
  const idle = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' };
  if (version === 2) agent.update('s1', idle);
  return [await turn.accepted, await turn, conversation()];
};

const shown = ({ sessionId, conversation }: Session) => [sessionId, conversation];

/** The typed calls whose results a program reads. */
const typedCalls: Readonly<Record<string, (connection: ClientConnection) => Promise<unknown>>> = {
  'session/new': (connection) => connection.newSession({ cwd }).then(shown),
  'session/fork': (connection) => connection.forkSession({ sessionId: 's1', cwd }).then(shown),
  'session/load': (connection) => connection.loadSession({ sessionId: 's2', cwd }).then(shown),
  'session/resume': (connection) => connection.resumeSession({ sessionId: 's2', cwd }).then(shown),
  'session/list': (connection) => connection.listSessions().page(),
};

/** The answer to any method, by its name on the wire. */
export const readAnswer =
  (method: string): Read =>
  async (version, answer) => {
    const { connection } = await start(version, { script: (agent) => agent.on(method, answer) });
    const typed = typedCalls[method];
    if (typed) return typed(connection);
    const { params } = sampleOf(dialectOf[version], method);
    // The session offers nothing: what is tested is the answer.
    return connection.request(method, params, { allowUnsupported: true });
  };
