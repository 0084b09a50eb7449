import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { settlesWithin } from '../../core/base/wait.ts';

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
  return settlesWithin(drained(response), limitMs);
}

/** Resolves when a response takes more, or has ended. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** How many connections a local server has. */
export interface ConnectionLimits {
  /** How many have shown the token. One more is refused. */
  readonly maxAdmitted: number;
  /** How many have not shown it yet. For one more, the oldest of them is closed. */
  readonly maxWaiting: number;
  /** Called for each connection that was closed for another one. */
  readonly onCrowded: () => void;
}

/**
 * The connections of a local server. Those that have not shown the token do not take the place of those that have: a
 * program without it cannot keep others out by connecting often.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #waiting = new Set<Socket>();
  readonly #admitted = new Set<Socket>();
  readonly #busy = new Set<Socket>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Takes a new connection, which has not shown the token. */
  add(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once('close', () => {
      this.#waiting.delete(socket);
      this.#admitted.delete(socket);
    });
    const [oldest] = this.#waiting;
    if (this.#waiting.size <= this.#limits.maxWaiting || !oldest) return;
    this.#waiting.delete(oldest);
    oldest.destroy();
    this.#limits.onCrowded();
  }

  /** Whether a connection that shows the token may stay. */
  admit(socket: Socket): boolean {
    if (this.#admitted.has(socket)) return true;
    if (this.#admitted.size >= this.#limits.maxAdmitted) return false;
    this.#waiting.delete(socket);
    this.#admitted.add(socket);
    return true;
  }

  /** Begins a request. Returns `false` if the one before it on the same connection has no answer yet. */
  begin(socket: Socket, response: ServerResponse): boolean {
    if (this.#busy.has(socket)) return false;
    this.#busy.add(socket);
    response.once('close', () => this.#busy.delete(socket));
    return true;
  }

  /** Ends every connection. */
  close(): void {
    for (const socket of [...this.#waiting, ...this.#admitted]) socket.destroy();
  }
}
