import { MessagePump, skipped } from './message-pump.ts';
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
  #listener: TransportListener | undefined;
  /** Each gives a message to the listener, or tells it something that has a place among the messages. */
  #queue: ((listener: TransportListener) => unknown)[] = [];
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
    this.#listener = listener;
    this.#pump.listen(listener);
    this.#transport.listen({
      onMessage: (message) => this.#add(() => message),
      onDiagnostic: listener.onDiagnostic,
      onActivity: () => listener.onActivity(),
      onSecrets: (secrets) => listener.onSecrets?.(secrets),
      onRequestFailed: (id, error) => this.#add((to) => to.onRequestFailed?.(id, error)),
      onSessionLost: (loss) => this.#add((to) => to.onSessionLost?.(loss)),
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

  #add(arrival: (listener: TransportListener) => unknown): void {
    this.#queue.push(arrival);
    this.#pump.run();
  }

  #take(): unknown {
    const arrival = this.#queue[this.#next];
    if (arrival && this.#listener) {
      this.#next++;
      return arrival(this.#listener) ?? skipped;
    }
    this.#queue = [];
    this.#next = 0;
    return undefined;
  }
}
