import { onTestFinished } from 'vitest';
import { connect as connectClient } from '../../../src/agents/connect.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import { serveDemoAgent } from '../../../src/programs/demo/agent.ts';
import { dialects as demoDialects } from '../../../src/programs/demo/dialect.ts';
import { memoryStore, type SessionStore } from '../../../src/programs/demo/store.ts';
import { RawClient } from './raw-client.ts';

// What a client must know to work with each dialect.

export interface ClientDialect {
  readonly name: DialectName;
  readonly protocolVersion: 1 | 2;
  readonly initialize: JsonObject;
  /** Opens a session with its history. */
  replay(client: RawClient, sessionId: string): Promise<JsonObject>;
  /** Sends a prompt, and waits until its turn is over. Resolves to the stop reason. */
  prompt(client: RawClient, sessionId: string, text: string): Promise<unknown>;
}

export const cwd = '/home/ada/elsewhere';

export const v1: ClientDialect = {
  name: 'v1',
  protocolVersion: 1,
  initialize: {
    protocolVersion: 1,
    clientInfo: { name: 'raw-client', version: '1.0.0' },
    clientCapabilities: { session: { configOptions: { boolean: {} } } },
  },
  replay: (client, sessionId) => client.request('session/load', { sessionId, cwd, mcpServers: [] }),
  prompt: async (client, sessionId, text) => {
    const result = await client.request('session/prompt', promptParams(sessionId, text));
    return result['stopReason'];
  },
};

export const v2: ClientDialect = {
  name: 'v2-baseline',
  protocolVersion: 2,
  initialize: { protocolVersion: 2, info: { name: 'raw-client', version: '1.0.0' } },
  replay: (client, sessionId) =>
    client.request('session/resume', { sessionId, cwd, replayFrom: { type: 'start' } }),
  prompt: async (client, sessionId, text) => {
    const start = client.received.length;
    await client.request('session/prompt', promptParams(sessionId, text));
    const isIdle = (update: JsonObject): boolean => update['state'] === 'idle';
    await client.waitFor(() => client.updates(sessionId, start).some(isIdle));
    return client.updates(sessionId, start).find(isIdle)?.['stopReason'];
  },
};

const v2Markers: ClientDialect = { ...v2, name: 'v2-markers', replay: v1.replay };

export const dialects: readonly ClientDialect[] = [v1, v2, v2Markers];

export function promptParams(sessionId: string, text: string): JsonObject {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

/** A client of an agent in this process that has been initialized. */
export async function connect(dialect = v1, store?: SessionStore): Promise<RawClient> {
  const client = RawClient.inMemory(dialect.name, store);
  await client.request('initialize', dialect.initialize);
  return client;
}

/** A client of this library, on an agent in this process. Its connection ends with the test. */
export async function connectLibrary(
  dialect: DialectName,
  store: SessionStore = memoryStore(),
  options: Partial<ConnectOptions> = {},
): Promise<ClientConnection> {
  const { transport, agent } = memoryTransport();
  serveDemoAgent(agent, store, demoDialects[dialect]);
  const connection = await connectClient(transport, {
    clientInfo: { name: 'test', version: '1.0.0' },
    onDiagnostic() {},
    ...options,
  });
  onTestFinished(() => connection.close());
  return connection;
}

/** Opens a new session in a directory, and resolves to its id when the agent has told all about it. */
export async function newSession(client: RawClient, directory = cwd): Promise<string> {
  const { sessionId } = await client.request('session/new', { cwd: directory, mcpServers: [] });
  if (typeof sessionId !== 'string') throw new TypeError('session/new gave no session id');
  await client.waitFor(() =>
    client.updates(sessionId).some(({ sessionUpdate }) => sessionUpdate === 'available_commands_update'),
  );
  return sessionId;
}

/** Allows everything once. */
export function allowOnce(request: JsonObject): JsonObject | undefined {
  return request['method'] === 'session/request_permission'
    ? { outcome: { outcome: 'selected', optionId: 'once' } }
    : undefined;
}
