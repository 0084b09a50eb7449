import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  Server as McpSdkServer,
  McpServer,
  McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { codeOf } from '../core/base/diagnostic.ts';
import { ConnectionClosedError } from '../core/base/errors.ts';
import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import { withWholeCharacters } from '../core/transport/message-text.ts';
import { defects, parseMessage } from '../core/transport/parse-message.ts';
import { Connections } from '../node/loopback/connections.ts';
import { newToken, type Refusal, readBody, refusalOf } from '../node/loopback/front.ts';
import { endServer, httpOptions, listen, portOf, writePart } from '../node/loopback/http-server.ts';
import { type Endpoint, type EndpointParts, maxMessageBytes, slowReaderLimitMs } from './endpoint.ts';

/** How many connections an agent has open at the same time: for its calls and streams, and a few more. */
export const maxConnections = 96;

/** How many connections without the token are open at the same time. An agent can open all of its own at once. */
export const maxWaitingConnections = 128;

/** How many sessions of MCP an agent has open at the same time. The oldest is closed for a further one. */
export const maxMcpSessions = 16;

/** How much of an answer is written at a time, in bytes. */
const sliceBytes = 64 * 1024;

const path = '/mcp';
const methodsOf = (url: string) => (url === path ? ['GET', 'POST', 'DELETE'] : undefined);

/**
 * The way over HTTP on loopback, for one session: a random port, and a token in a header.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function openHttp(parts: EndpointParts, options = httpOptions): Promise<Endpoint> {
  const token = newToken();
  const mcp = new McpOverHttp(parts);
  const connections = new Connections({
    maxAdmitted: maxConnections,
    maxWaiting: maxWaitingConnections,
    onCrowded: () => mcp.report(`More than ${maxWaitingConnections} connections sent no token.`),
  });
  const server = createServer(options, (request, response) => {
    const port = portOf(server);
    const refused = refusalOf(request, { port, token, methodsOf });
    if (refused) return mcp.refuse(response, refused);
    const { socket } = request;
    if (!connections.admit(socket)) {
      const reason = `More than ${maxConnections} connections are open.`;
      return mcp.refuse(response, { status: 429, reason });
    }
    if (!connections.begin(socket, response)) {
      // For such a request, Node does not report that the agent has stopped waiting for the answer.
      mcp.report('A request came before the answer to the one before it on the same connection.');
      socket.destroy();
      return;
    }
    mcp.serve(request, response, port).catch(() => response.destroy());
  });
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('clientError', (error, socket) => mcp.refuseUnreadable(error, socket));
  server.on('connect', (_, socket) => {
    mcp.report('The method CONNECT is not served.');
    socket.destroy();
  });
  const port = await listen(server);
  // The agent keeps the process alive, and not what it can reach.
  server.unref();
  return {
    description: {
      type: 'http',
      name: parts.name,
      url: `http://127.0.0.1:${port}${path}`,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
    async close() {
      await mcp.close();
      await endServer(server, connections);
    },
  };
}

/** The status for what is not a request of HTTP, by the code of the error. */
const unreadableStatus: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The headers that MCP reads. */
function webHeaders({ headers }: IncomingMessage): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    const isRead = name === 'accept' || name === 'content-type' || name.startsWith('mcp-');
    if (isRead && typeof value === 'string') web.set(name, value);
  }
  return web;
}

/** Writes an answer as fast as it is read. Returns whether the reader was not too slow. */
async function write(answer: Response, response: ServerResponse): Promise<boolean> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  // The event stream begins before its first event.
  response.flushHeaders();
  const reader = answer.body?.getReader();
  // MCP has one stream of events for a session: the agent opens it again when it has lost it.
  const stop = () => void reader?.cancel().catch(() => {});
  if (response.closed) stop();
  else response.once('close', stop);
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    const value = whole(part.value);
    for (let at = 0; at < value.length; at += sliceBytes) {
      if (!(await writePart(response, value.subarray(at, at + sliceBytes), slowReaderLimitMs))) return false;
    }
  }
  response.end();
  return true;
}

/** A part of an answer, which is a whole event or a whole body. */
function whole({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return bytes.includes('\\ud') ? Buffer.from(withWholeCharacters(bytes.toString())) : bytes;
}

/** A session of MCP, in its versions with a handshake. */
interface McpSession {
  readonly server: McpServer | McpSdkServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The requests that came together with others, in one body. */
  readonly batched: Set<unknown>;
}

/** Ends the answer to a request that the agent has cancelled. Without this, it would stay open: no result comes. */
function endCancelled({ transport, batched }: McpSession, { method, params }: JsonObject): void {
  const id = method === 'notifications/cancelled' && isJsonObject(params) ? params['requestId'] : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') return;
  if (!batched.delete(id)) return transport.closeSSEStream(id);
  // The other requests of the body are answered on the same stream.
  const error = { code: -32_000, message: 'The request was cancelled.' };
  transport.send({ jsonrpc: '2.0', id, error }).catch(() => {});
}

/** Serves the requests of one agent: each by itself, or in the sessions of the older versions of MCP. */
class McpOverHttp {
  readonly #parts: EndpointParts;
  readonly #create: McpServerFactory;
  readonly #modern;
  /** Where the answer to a request is written. */
  readonly #responses = new WeakMap<Request, ServerResponse>();
  readonly #sessions = new Map<string, McpSession>();

  constructor(parts: EndpointParts) {
    this.#parts = parts;
    this.#create = parts.create(({ http }, listener) => {
      const response = http?.req && this.#responses.get(http.req);
      if (!response || response.closed) listener();
      else response.once('close', listener);
    });
    this.#modern = parts.packages.server.createMcpHandler(this.#create, {
      legacy: 'reject',
      maxSubscriptions: maxMcpSessions,
    });
  }

  report(reason: string): void {
    const { name, host } = this.#parts;
    const message = `The server ${name} refused a request over HTTP: ${reason} If the agent sent it, report it to the agent's developers.`;
    host.report({ rule: 'tools.refused', severity: 'warning', message });
  }

  refuse(response: ServerResponse, { status, reason }: Refusal): void {
    this.report(reason);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: reason } }));
  }

  refuseUnreadable(error: Error, socket: Duplex): void {
    const code = codeOf(error) ?? '';
    const status = unreadableStatus[code] ?? '400 Bad Request';
    // A connection that was cut off has asked for nothing.
    if (code.startsWith('HPE_') || code in unreadableStatus) this.report(`It is not readable: ${code}.`);
    if (!socket.writable) socket.destroy();
    else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
  }

  async serve(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    const method = request.method ?? '';
    const gone = new AbortController();
    response.once('close', () => gone.abort(new ConnectionClosedError('The agent closed the connection.')));
    let message: object | undefined;
    if (method === 'POST') {
      const read = await readBody(request, maxMessageBytes);
      if ('status' in read) return this.refuse(response, read);
      const parsed = parseMessage(read.body.toString('utf8'));
      if (typeof parsed === 'string') {
        const reason = `The body ${defects[parsed === 'blank' ? 'noise' : parsed]}.`;
        return this.refuse(response, { status: 400, reason });
      }
      message = parsed;
    }
    const init = { method, headers: webHeaders(request), signal: gone.signal };
    const web = new Request(`http://127.0.0.1:${port}${path}`, init);
    this.#responses.set(web, response);
    const answer = await this.#handle(web, message);
    if (await write(answer, response)) return;
    response.destroy();
    this.report(`Its answer was not read for ${slowReaderLimitMs / 1000} seconds.`);
  }

  /** @param message - The body. */
  async #handle(request: Request, message: object | undefined): Promise<Response> {
    const parsed = message && { parsedBody: message };
    if (!(await this.#parts.packages.server.isLegacyRequest(request, message))) {
      return this.#modern.fetch(request, parsed);
    }
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request, parsed);
    const session = this.#sessions.get(id);
    if (session) {
      const all: readonly unknown[] = Array.isArray(message) ? message : [message];
      const messages = all.filter(isJsonObject);
      if (all.length > 1) for (const { id } of messages) session.batched.add(id);
      const answer = await session.transport.handleRequest(request, parsed);
      for (const one of messages) endCancelled(session, one);
      return answer;
    }
    const error = { code: -32_001, message: 'There is no such session. Initialize again.' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all([
      this.#modern.close().catch(() => {}),
      ...sessions.map(({ server }) => server.close().catch(() => {})),
    ]);
  }

  /** Answers a request without a session, which begins one if it is the first one of a client. */
  async #begin(request: Request, parsed: { readonly parsedBody: object } | undefined): Promise<Response> {
    const server = await this.#create({ era: 'legacy', requestInfo: request });
    const transport: WebStandardStreamableHTTPServerTransport =
      new this.#parts.packages.server.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => globalThis.crypto.randomUUID(),
        onsessioninitialized: (id) => this.#add(id, { server, transport, batched: new Set() }),
        onsessionclosed: (id) => void this.#sessions.delete(id),
      });
    await server.connect(transport);
    const answer = await transport.handleRequest(request, parsed);
    if (transport.sessionId === undefined) await server.close();
    return answer;
  }

  #add(id: string, session: McpSession): void {
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size <= maxMcpSessions || !oldest) return;
    this.#sessions.delete(oldest[0]);
    oldest[1].server.close().catch(() => {});
  }
}
