import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { settlesWithin } from '../../core/base/wait.ts';
import type { Connections } from './connections.ts';

/** How a server on loopback reads requests. */
export const httpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16_384,
  // The options of the editor's process do not change how requests are read.
  insecureHTTPParser: false,
  // A request without it is refused like one with a wrong one.
  requireHostHeader: false,
};

/** Listens on loopback. Resolves to the port. Default: a free one. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen({ host: '127.0.0.1', port, exclusive: true });
  await once(server, 'listening');
  return portOf(server);
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  // A TCP server has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** Ends a server and every connection of it. */
export async function endServer(server: Server, connections: Connections): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  connections.close();
  await settlesWithin(closed, 1000);
}

/**
 * Writes a part of an answer. Resolves when the response takes more. Returns whether the reader was not too slow: for one
 * that is, the response is to be destroyed.
 */
export async function writePart(
  response: ServerResponse,
  part: Uint8Array | string,
  limitMs: number,
): Promise<boolean> {
  if (response.destroyed || response.write(part)) return true;
  const waiting = new AbortController();
  const events = ['drain', 'close'].map((event) => once(response, event, waiting));
  return settlesWithin(Promise.race(events), limitMs).finally(() => waiting.abort());
}
