import { once } from 'node:events';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  Server as McpSdkServer,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { newToken, type Refusal, readBody, refusalOf } from '../loopback/front.ts';
import { settlesWithin } from '../wait.ts';
import type { Endpoint, EndpointParts } from './endpoint.ts';
import { LiveServers } from './live-servers.ts';

/** The longest body of a request, in bytes. */
export const maxBodyBytes = 4 * 1024 * 1024;

/** How many connections an agent has open at the same time. */
const maxConnections = 64;

/** How many sessions of MCP an agent has open at the same time. The oldest is closed for a further one. */
const maxMcpSessions = 16;

/** How long the reader of an answer may read nothing, in milliseconds. */
export const slowReaderLimitMs = 30_000;

const path = '/mcp';
const methods = ['GET', 'POST', 'DELETE'];

/**
 * The way over HTTP on loopback, for one session: a random port, and a token in a header.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function openHttp(parts: EndpointParts): Promise<Endpoint> {
  const { name, host } = parts;
  const token = newToken();
  const mcp = new McpOverHttp(parts);
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 5000,
      maxHeaderSize: 16_384,
    },
    (request, response) => {
      const { port } = server.address() as AddressInfo;
      const refused = refusalOf(request, { port, path, methods, token });
      if (refused) return refuse(response, refused, report);
      serve(request, response, port, mcp, report).catch(() => response.destroy());
    },
  );
  server.maxConnections = maxConnections;
  const report = (reason: string) => {
    const message = `The server ${name} refused a request over HTTP: ${reason} If the agent sent it, it does not use the headers that it got.`;
    host.report({ rule: 'tools.refused', severity: 'warning', message });
  };
  const port = await listen(server);
  return {
    description: {
      type: 'http',
      name,
      url: `http://127.0.0.1:${port}${path}`,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
    toolsChanged: () => mcp.toolsChanged(),
    async close() {
      await mcp.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await settlesWithin(closed, 1000);
    },
  };
}

/** Listens on loopback, on a free port. */
async function listen(server: HttpServer): Promise<number> {
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  // The agent keeps the process alive, and not what it can reach.
  server.unref();
  // A TCP server has an address of this form.
  return (server.address() as AddressInfo).port;
}

function refuse(
  response: ServerResponse,
  { status, reason }: Refusal,
  report: (reason: string) => void,
): void {
  report(reason);
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: reason } }));
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  mcp: McpOverHttp,
  report: (reason: string) => void,
): Promise<void> {
  const method = request.method ?? '';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const init: RequestInit = { method, headers: webHeaders(request), signal: gone.signal };
  if (method === 'POST') {
    const read = await readBody(request, maxBodyBytes);
    if ('status' in read) return refuse(response, read, report);
    init.body = read.body;
  }
  const answer = await mcp.handle(new Request(`http://127.0.0.1:${port}${path}`, init));
  await write(answer, response);
}

/** The headers that MCP reads. */
function webHeaders({ headers }: IncomingMessage): Headers {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    const isRead =
      name === 'accept' || name === 'content-type' || name === 'last-event-id' || name.startsWith('mcp-');
    if (isRead && typeof value === 'string') web.set(name, value);
  }
  return web;
}

/** Writes an answer as fast as it is read. A reader that reads nothing loses the connection. */
async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  // The event stream begins before its first event.
  response.flushHeaders();
  // The two types of a web stream differ in methods that are not used.
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    if (response.destroyed) return;
    if (response.write(chunk)) continue;
    const drained = Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (!(await settlesWithin(drained, slowReaderLimitMs))) response.destroy();
  }
  response.end();
}

/** A session of MCP, in its versions with a handshake. */
interface McpSession {
  readonly server: McpServer | McpSdkServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** Serves the requests of one agent: each by itself, or in the sessions of the older versions of MCP. */
class McpOverHttp {
  readonly #packages: EndpointParts['packages'];
  readonly #live: LiveServers;
  readonly #modern;
  readonly #sessions = new Map<string, McpSession>();

  constructor({ packages, create }: EndpointParts) {
    this.#packages = packages;
    this.#live = new LiveServers(create);
    this.#modern = packages.server.createMcpHandler(create, {
      legacy: 'reject',
      maxSubscriptions: maxMcpSessions,
    });
  }

  async handle(request: Request): Promise<Response> {
    if (!(await this.#packages.server.isLegacyRequest(request))) return this.#modern.fetch(request);
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#begin(request);
    const session = this.#sessions.get(id);
    if (session) return session.transport.handleRequest(request);
    const error = { code: -32_001, message: 'There is no such session. Initialize again.' };
    return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
  }

  toolsChanged(): void {
    this.#live.toolsChanged();
    this.#modern.notify.toolsChanged();
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
  async #begin(request: Request): Promise<Response> {
    const server = await this.#live.create({ era: 'legacy', requestInfo: request });
    const transport: WebStandardStreamableHTTPServerTransport =
      new this.#packages.server.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => globalThis.crypto.randomUUID(),
        onsessioninitialized: (id) => this.#add(id, { server, transport }),
        onsessionclosed: (id) => void this.#sessions.delete(id),
      });
    await server.connect(transport);
    const answer = await transport.handleRequest(request);
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
