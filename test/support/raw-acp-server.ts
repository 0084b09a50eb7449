import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import { listen } from '../../src/node/loopback/http-server.ts';

/** A request that arrived, with its whole body. */
export interface RawRequest {
  /** `GET`, `GET s1`, `DELETE`, `POST initialize`, `POST session/prompt`, `POST` for an answer: for short assertions. */
  readonly kind: string;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** The message of a POST. */
  readonly message: JsonObject;
}

/** Answers a request. Returns `false` to leave it to the server. */
export type RawAnswer = (request: RawRequest, response: ServerResponse) => unknown;

export interface RawServerOptions {
  /** Is asked first, for every request. */
  readonly answer?: RawAnswer;
  /** Is asked when the headers of a request have come, and its body has not been read. Returns `false` to read it. */
  readonly beforeBody?: (incoming: IncomingMessage) => unknown;
  /** A certificate and its key: the server speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** What the agent answers, by method. Without an entry: -32601. A function may return `undefined`: no answer. */
  readonly agent?: Readonly<Record<string, (message: JsonObject, server: RawServer) => unknown>>;
  /** Whether each event has an id. */
  readonly eventIds?: 'numbered' | 'none';
}

/**
 * A server that speaks just enough of streamable HTTP, with `node:http` alone, and answers otherwise where a test says
 * so. Answers to calls of a session that has an open stream go there, all others to the stream of the connection.
 */
export interface RawServer {
  readonly url: string;
  readonly origin: string;
  readonly requests: readonly RawRequest[];
  /** The open connections of TCP. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many answers have begun and not ended. */
  bodies(): number;
  /** How many requests of a kind came. */
  count(kind: string): number;
  /** Resolves when so many requests of a kind have come. */
  came(kind: string, times?: number): Promise<void>;
  /** The open stream of a session, or that of the connection. */
  stream(sessionId?: string): ServerResponse | undefined;
  /** Sends a message on a stream, as one event. Waits until the stream is open. */
  send(message: object, sessionId?: string): Promise<void>;
  /** Sends text on a stream as it is. Waits until the stream is open. */
  write(text: string | Uint8Array, sessionId?: string): Promise<void>;
}

export const initializeResult: JsonObject = {
  protocolVersion: 1,
  agentInfo: { name: 'raw', version: '1.0.0' },
  agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, close: {}, list: {} } },
};

/** The answer of JSON-RPC. */
export const answerTo = (message: JsonObject, result: unknown): object => ({
  jsonrpc: '2.0',
  id: message['id'],
  result,
});

/** An update with a chunk of the agent's message. */
export const chunk = (sessionId: string, text: string): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
});

/** The update with which a session announces a subagent. */
export const subagentUpdate = (sessionId: string, subagent: string): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate: 'subagent_update', sessionId: subagent, title: 'Reads' } },
});

export function event(message: object, id?: number | string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

const defaultAgent: NonNullable<RawServerOptions['agent']> = {
  initialize: () => initializeResult,
  'session/new': () => ({ sessionId: 's1' }),
  'session/load': () => ({}),
  'session/resume': () => ({}),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
  'session/close': () => ({}),
};

/** Starts a server, which ends with the test. */
export async function rawServer(options: RawServerOptions = {}): Promise<RawServer> {
  const streams = new Map<string, ServerResponse>();
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const open = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const agent = { ...defaultAgent, ...options.agent };
  let events = 0;

  const until = async (isDone: () => boolean) => {
    while (!isDone()) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  const changed = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const raw: RawServer = {
    url: '',
    origin: '',
    requests,
    sockets,
    bodies: () => open.size,
    count: (kind) => requests.filter((request) => request.kind === kind).length,
    came: (kind, times = 1) => until(() => raw.count(kind) >= times),
    stream: (sessionId = '') => streams.get(sessionId),
    async send(message, sessionId = '') {
      await raw.write(event(message, options.eventIds === 'numbered' ? ++events : undefined), sessionId);
    },
    async write(text, sessionId = '') {
      await until(() => streams.has(sessionId));
      streams.get(sessionId)?.write(text);
    },
  };

  const act = (message: JsonObject, namedSession: string | undefined) => {
    const method = message['method'];
    if (typeof method !== 'string') return;
    const result = Object.hasOwn(agent, method) ? agent[method]?.(message, raw) : null;
    if (message['id'] === undefined || result === undefined) return;
    const answer =
      result === null
        ? { jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: 'Method not found' } }
        : answerTo(message, result);
    // An agent that has the session answers on its stream, but for the calls that open it.
    const isOpening = /^session\/(?:new|load|resume|fork|close)$/.test(method);
    void raw.send(answer, isOpening || !streams.has(namedSession ?? '') ? '' : namedSession);
  };

  const serve: RawAnswer = (request, response) => {
    if (request.kind.startsWith('GET')) {
      const name = String(request.headers['acp-session-id'] ?? '');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.set(name, response);
      response.on('close', () => {
        if (streams.get(name) === response) streams.delete(name);
      });
      changed();
    } else if (request.kind === 'POST initialize') {
      const result = agent['initialize']?.(request.message, raw);
      response.writeHead(200, { 'content-type': 'application/json', 'acp-connection-id': 'c1' });
      response.end(JSON.stringify(answerTo(request.message, result)));
    } else {
      response.writeHead(202).end();
      const sessionId = request.headers['acp-session-id'];
      if (request.kind !== 'DELETE')
        act(request.message, sessionId === undefined ? undefined : String(sessionId));
    }
  };

  const listener = async (incoming: IncomingMessage, response: ServerResponse) => {
    if (options.beforeBody && options.beforeBody(incoming) !== false) return;
    const chunks: Buffer[] = [];
    try {
      for await (const part of incoming) chunks.push(part);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const message: JsonObject = incoming.method === 'POST' ? JSON.parse(body) : {};
    const detail = incoming.method === 'POST' ? message['method'] : incoming.headers['acp-session-id'];
    const request: RawRequest = {
      kind: `${incoming.method}${detail === undefined ? '' : ` ${detail}`}`,
      headers: incoming.headers,
      path: incoming.url ?? '',
      message,
    };
    requests.push(request);
    open.add(response);
    response.on('close', () => open.delete(response));
    changed();
    if ((await options.answer?.(request, response)) === false || !options.answer) serve(request, response);
  };

  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return Object.assign(raw, { url: `${origin}/acp`, origin });
}
