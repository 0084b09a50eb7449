import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { connect as connectClient } from '../../../src/agents/connect.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/base/json.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import { serveDemoAgent } from '../../../src/programs/demo/agent.ts';
import { dialects as demoDialects } from '../../../src/programs/demo/dialect.ts';
import { memoryStore, type SessionStore } from '../../../src/programs/demo/store.ts';
import { buildDemoAgent } from '../../support/build.ts';

export interface Exchange {
  readonly direction: 'in' | 'out';
  readonly message: JsonObject;
}

export interface Exit {
  readonly code: number | null;
  readonly stderr: string;
  /** What came after the last end of a line. */
  readonly rest: string;
}

/** The other end of the agent's channel. */
interface Wire {
  write(line: string): void;
  /** Closes the agent's input. */
  end(): void;
  kill(): void;
  readonly exited: Promise<Exit>;
}

/** A client of the demo agent that knows lines and JSON, and no message of the protocol. */
export class RawClient implements AsyncDisposable {
  readonly #wire: Wire;
  readonly #waiting: (() => void)[] = [];
  #hasExited = false;
  #nextId = 1;

  /** All messages, in order. */
  readonly messages: Exchange[] = [];
  /** Answers the agent's requests; `undefined` leaves one open. */
  answer: (request: JsonObject) => JsonObject | undefined = () => undefined;

  /** A client of the program, started with these arguments. */
  static async start(...args: readonly string[]): Promise<RawClient> {
    const program = await buildDemoAgent();
    return new RawClient((onLine) => {
      const child = spawn(process.execPath, [program, ...args]);
      let [stderr, rest] = ['', ''];
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(line);
      });
      child.stdin.on('error', () => {}); // the agent may be gone
      return {
        write: (line) => child.stdin.write(`${line}\n`),
        end: () => child.stdin.end(),
        kill: () => child.kill('SIGKILL'),
        exited: once(child, 'close').then(([code]) => ({ code: code as number | null, stderr, rest })),
      };
    });
  }

  /** A client of the agent in this process. Agents with the same store have the same sessions. */
  static inMemory(dialect?: DialectName, store: SessionStore = memoryStore()): RawClient {
    return new RawClient((onLine) => {
      const { transport, agent } = memoryTransport();
      serveDemoAgent(agent, store, dialect && demoDialects[dialect]);
      transport.listen({
        onMessage: (message) => onLine(JSON.stringify(message)),
        onDiagnostic() {},
        onActivity() {},
      });
      const end = () => void transport.close();
      return {
        write: (line) => void transport.send(JSON.parse(line)),
        end,
        kill: end,
        exited: transport.ended.then(({ exit }) => ({ code: exit?.exitCode ?? null, stderr: '', rest: '' })),
      };
    });
  }

  private constructor(open: (onLine: (line: string) => void) => Wire) {
    this.#wire = open((line) => this.#receive(JSON.parse(line)));
    void this.#wire.exited.then(() => {
      this.#hasExited = true;
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  get received(): readonly JsonObject[] {
    return this.messages.flatMap(({ direction, message }) => (direction === 'in' ? [message] : []));
  }

  writeLine(line: string): void {
    this.#wire.write(line);
  }

  notify(method: string, params: JsonObject): void {
    this.#write({ method, params });
  }

  /** Sends a request without waiting for its answer. */
  send(method: string, params: JsonValue): number {
    const id = this.#nextId++;
    this.#write({ id, method, params });
    return id;
  }

  response(id: number): Promise<JsonObject> {
    return this.waitFor((message) => message['id'] === id && !('method' in message));
  }

  /** The result; throws where the answer is an error. */
  async request(method: string, params: JsonValue): Promise<JsonObject> {
    const { result, error } = await this.response(this.send(method, params));
    if (!isJsonObject(result)) throw new Error(`${method} was answered with ${JSON.stringify(error)}`);
    return result;
  }

  /** The error; throws where the answer is a result. */
  async refused(method: string, params: JsonValue): Promise<JsonObject> {
    const { result, error } = await this.response(this.send(method, params));
    if (!isJsonObject(error)) throw new Error(`${method} was answered with ${JSON.stringify(result)}`);
    return error;
  }

  /** The first message, among those that came and those that will, that is meant. */
  async waitFor(isMeant: (message: JsonObject) => boolean): Promise<JsonObject> {
    for (;;) {
      const found = this.received.find(isMeant);
      if (found) return found;
      if (this.#hasExited) throw new Error('The agent ended without it');
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** The `update` of each notification about a session, after the first `start` messages that came. */
  updates(sessionId: string, start = 0): JsonObject[] {
    return this.received.slice(start).flatMap(({ method, params }) => {
      if (method !== 'session/update' || !isJsonObject(params) || params['sessionId'] !== sessionId)
        return [];
      return isJsonObject(params['update']) ? [params['update']] : [];
    });
  }

  exit(): Promise<Exit> {
    return this.#wire.exited;
  }

  /** Closes the agent's input, and waits for it to end. */
  end(): Promise<Exit> {
    this.#wire.end();
    return this.#wire.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wire.kill();
    await this.#wire.exited;
  }

  #write(fields: JsonObject): void {
    const message = { jsonrpc: '2.0', ...fields };
    this.messages.push({ direction: 'out', message });
    this.writeLine(JSON.stringify(message));
  }

  #receive(message: JsonObject): void {
    this.messages.push({ direction: 'in', message });
    const { id, method } = message;
    const result = typeof method === 'string' && id !== undefined ? this.answer(message) : undefined;
    if (result && id !== undefined) this.#write({ id, result });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

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
    // A session that was opened says `idle` too, without a reason.
    const isEnd = (update: JsonObject): boolean => update['stopReason'] !== undefined;
    await client.waitFor(() => client.updates(sessionId, start).some(isEnd));
    return client.updates(sessionId, start).find(isEnd)?.['stopReason'];
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
