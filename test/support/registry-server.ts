import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on this machine, with its open connections. */
export interface TestServer {
  /** The address of a registry on it. */
  readonly url: string;
  readonly port: number;
  /** The headers of each request. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** How many connections are open. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a server that ends with the test. */
export async function registryServer(answer: RequestListener, host = '127.0.0.1'): Promise<TestServer> {
  return listen(createServer(), 'http', answer, host);
}

/** The same with https. */
export async function secureRegistryServer(
  certificate: { readonly key: string; readonly cert: string },
  answer: RequestListener,
): Promise<TestServer> {
  return listen(createSecureServer(certificate), 'https', answer, '127.0.0.1');
}

/** Starts a server that speaks what it likes. */
export async function rawServer(answer: (socket: Socket) => void): Promise<TestServer> {
  return listenRaw(createRawServer(answer), 'http', [], '127.0.0.1');
}

async function listen(
  server: Server,
  protocol: string,
  answer: RequestListener,
  host: string,
): Promise<TestServer> {
  const requests: IncomingHttpHeaders[] = [];
  server.on('request', (request, response) => {
    requests.push(request.headers);
    // The client ends connections in the middle of an answer.
    response.on('error', () => {});
    answer(request, response);
  });
  return listenRaw(server, protocol, requests, host);
}

async function listenRaw(
  server: RawServer,
  protocol: string,
  requests: readonly IncomingHttpHeaders[],
  host: string,
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  // A server on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(close);
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `${protocol}://${name}:${port}/registry.json`;
  return { url, port, requests, connections: () => sockets.size, close };
}

/** An answer with a registry, as text, or with other bytes. */
export function sends(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** An answer without content. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(code, headers).end();
  };
}

/** An entry of a registry that npx starts. */
export function entry(id: string, changes: object = {}): Readonly<Record<string, unknown>> {
  return {
    id,
    name: id.toUpperCase(),
    version: '1.2.3',
    description: 'An agent.',
    distribution: { npx: { package: `@example/${id}`, args: ['--acp'] } },
    ...changes,
  };
}

/** The text of a registry with these entries. */
export function registryText(...agents: readonly unknown[]): string {
  return JSON.stringify({ version: '1.0.0', agents, extensions: [] });
}
