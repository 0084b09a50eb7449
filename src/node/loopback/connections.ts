import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
