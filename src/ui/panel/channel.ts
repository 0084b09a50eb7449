import type { WebSocketLike } from '../../core/transport/websocket.ts';

/** One end of a connection between the host and a page. */
export interface PanelChannel {
  /**
   * Sends plain, JSON-safe data to the other end, in order. It may throw, or return a promise that rejects: the message
   * then counts as lost. A page rejects the action at once if the name of the error is `DataCloneError` or `RangeError`:
   * the channel can never carry the message, such as one that is too long for it.
   */
  readonly post: (message: unknown) => unknown;
  /**
   * Calls `listener` with each message that arrives: an object, or its JSON text. Returns the function that removes the
   * listener.
   */
  readonly listen: (listener: (message: unknown) => void) => () => void;
  /** Resolves when nothing more can arrive. Absent for a channel that cannot know it, such as `postMessage`. */
  readonly ended?: Promise<unknown> | undefined;
}

const connecting = 0;
const open = 1;
const closed = 3;

/**
 * A channel over a WebSocket of a browser, of Node or of `ws`, for either end: one JSON text for each message. The
 * socket can still be connecting: what is posted then is sent when it opens. The channel does not close the socket.
 *
 * Check the origin of a page before you attach its socket: a browser lets every page connect to this machine.
 *
 * @example
 * ```ts
 * const panel = connectPanel(webSocketChannel(new WebSocket(`ws://${location.host}`)));
 * ```
 */
export function webSocketChannel(
  socket: Pick<WebSocketLike, 'readyState' | 'send' | 'addEventListener'> & {
    /** Removes a listener. */
    removeEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  },
): PanelChannel {
  const unsent: string[] = [];
  const ended = new Promise<void>((resolve) => {
    if (socket.readyState === closed) resolve();
    socket.addEventListener('close', () => resolve());
  });
  // The `close` event follows an error. Without a listener, `ws` throws the error.
  socket.addEventListener('error', () => {});
  socket.addEventListener('open', () => {
    for (const text of unsent.splice(0)) socket.send(text);
  });
  return {
    ended,
    post(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === connecting) unsent.push(text);
      else if (socket.readyState === open) socket.send(text);
    },
    listen(listener) {
      const receive = ({ data }: { readonly data: unknown }) => listener(data);
      socket.addEventListener('message', receive);
      return () => socket.removeEventListener('message', receive);
    },
  };
}

/**
 * A channel over a `MessagePort`, a `Worker`, or another object with `postMessage` and the event `message`. The channel
 * does not close the port.
 *
 * @example
 * ```ts
 * const { port1, port2 } = new MessageChannel();
 * const served = servePanel(options, messagePortChannel(port1));
 * frame.contentWindow.postMessage('panel', origin, [port2]);
 * ```
 */
export function messagePortChannel(port: {
  /** Sends a message, which is copied. */
  postMessage(message: unknown): void;
  /** The event has the message in `data`. Its type differs between the platforms. */
  addEventListener(type: 'message', listener: (event: object) => void): void;
  /** Removes a listener. */
  removeEventListener(type: 'message', listener: (event: object) => void): void;
  /** A `MessagePort` delivers nothing before this is called. */
  readonly start?: (() => void) | undefined;
}): PanelChannel {
  return {
    post: (message) => port.postMessage(message),
    listen(listener) {
      const receive = (event: object) => listener(Reflect.get(event, 'data'));
      port.addEventListener('message', receive);
      port.start?.();
      return () => port.removeEventListener('message', receive);
    },
  };
}
