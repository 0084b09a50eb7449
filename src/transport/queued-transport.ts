import { MessagePump, skipped } from './message-pump.ts';
import { Queue } from './queue.ts';
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
  readonly pause = this.#pump.pause;
  readonly resume = this.#pump.resume;
  /** Each gives a message to the listener, or tells it something that has a place among the messages. */
  readonly #queue = new Queue<(listener: TransportListener) => unknown>();

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
      ...listener,
      onMessage: (message) => this.#add(() => message),
      onRequestFailed: (id, error) => this.#add((to) => to.onRequestFailed?.(id, error)),
      onSessionLost: (loss) => this.#add((to) => to.onSessionLost?.(loss)),
    });
  }

  send(message: object): Promise<void> {
    return this.#transport.send(message);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #add(arrival: (listener: TransportListener) => unknown): void {
    this.#queue.add(arrival);
    this.#pump.run();
  }

  #take(): unknown {
    // The pump takes nothing before there is a listener.
    const { listener } = this.#pump;
    const arrival = listener && this.#queue.take();
    return arrival && (arrival(listener) ?? skipped);
  }
}
