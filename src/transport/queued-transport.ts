import { MessagePump } from './message-pump.ts';
import type { Transport, TransportEnd, TransportListener } from './transport.ts';

/** A transport that can be paused. */
export interface PausableTransport extends Transport {
  pause(): void;
  resume(): void;
}

/** Returns `transport` itself if it can be paused, and otherwise one that queues its messages. */
export function pausable(transport: Transport): PausableTransport {
  return isPausable(transport) ? transport : new QueuedTransport(transport);
}

function isPausable(transport: Transport): transport is PausableTransport {
  return transport.pause !== undefined && transport.resume !== undefined;
}

/** Queues the messages of a transport while it is paused. */
class QueuedTransport implements PausableTransport {
  readonly ended: Promise<TransportEnd>;
  readonly #transport: Transport;
  readonly #pump = new MessagePump({ take: () => this.#take() });
  #queue: unknown[] = [];
  #next = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.ended = transport.ended.then(async (end) => {
      this.#pump.end();
      await this.#pump.drained;
      return end;
    });
  }

  listen(listener: TransportListener): void {
    this.#pump.listen(listener);
    this.#transport.listen({
      onMessage: (message) => {
        this.#queue.push(message);
        this.#pump.run();
      },
      onDiagnostic: listener.onDiagnostic,
      onActivity: () => listener.onActivity(),
    });
  }

  pause(): void {
    this.#pump.pause();
  }

  resume(): void {
    this.#pump.resume();
  }

  send(message: object): Promise<void> {
    return this.#transport.send(message);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #take(): unknown {
    if (this.#next < this.#queue.length) return this.#queue[this.#next++];
    this.#queue = [];
    this.#next = 0;
    return undefined;
  }
}
