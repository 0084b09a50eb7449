import { Queue } from '../base/queue.ts';
import { MessagePump, skipped } from './message-pump.ts';
import type { Transport, TransportEnd } from './transport.ts';

/** A transport that can be paused. */
export interface PausableTransport extends Transport {
  pause(): void;
  resume(): void;
}

/** Returns `transport` itself if it can be paused, and otherwise one that queues its messages. */
export function pausable(transport: Transport): PausableTransport {
  return isPausable(transport) ? transport : queued(transport);
}

function isPausable(transport: Transport): transport is PausableTransport {
  return transport.pause !== undefined && transport.resume !== undefined;
}

/** Queues the messages of a transport while it is paused. */
function queued(transport: Transport): PausableTransport {
  /** Each gives a message, or tells the listener something that has a place among the messages. */
  const queue = new Queue<() => unknown>();
  const pump = new MessagePump({
    take() {
      const arrival = queue.take();
      return arrival && (arrival() ?? skipped);
    },
  });
  const add = (arrival: () => unknown) => {
    queue.add(arrival);
    pump.run();
  };
  const drain = async (end: TransportEnd) => {
    pump.end();
    await pump.ended;
    return end;
  };
  return {
    ended: transport.ended.then(drain),
    listen(listener) {
      pump.listen(listener);
      transport.listen({
        ...listener,
        onMessage: (message) => add(() => message),
        onRequestFailed: (id, error) => add(() => listener.onRequestFailed?.(id, error)),
        onSessionLost: (loss) => add(() => listener.onSessionLost?.(loss)),
      });
    },
    pause: pump.pause,
    resume: pump.resume,
    send: (message) => transport.send(message),
    close: () => transport.close(),
  };
}
