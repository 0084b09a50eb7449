import { ConnectionClosedError, MessageTooLargeError, type SocketClose } from '../errors.ts';
import type { Transport, TransportEnd } from './transport.ts';
import type { WebSocketLike } from './websocket-like.ts';
import { WebSocketReader } from './websocket-reader.ts';
import { WebSocketWriter } from './websocket-writer.ts';

/** What a {@link webSocketTransport} puts up with. */
export interface WebSocketTransportOptions {
  /**
   * The longest message taken, in bytes of UTF-8. Default: 128 MiB. A longer one ends the channel with
   * `MessageTooLargeError`. A socket may have a limit of its own before that, as `maxPayload` of `ws`.
   */
  readonly maxMessageBytes?: number;
}

const defaultMaxMessageBytes = 128 * 1024 * 1024;
/** How long the other side may take to close its end, once it was asked to. */
const maxClosingMs = 2000;
const normalClosure = 1000;
/** Code 1009 says it, but a browser lets a page send 1000 and what is from 3000 on only, of which 4000 on is free. */
const messageTooBig = 4009;
const connecting = 0;
const closing = 2;
const closed = 3;

/**
 * A channel over a WebSocket: one JSON message a text frame. Binary frames are read as UTF-8; a frame that is no
 * JSON message is reported as a diagnostic, and the next one goes on.
 *
 * The socket may still be connecting: what is written waits for it to open. It belongs to the transport from now
 * on. When it closes and was not asked to, `ended` has a `ConnectionClosedError` with its close code and reason.
 *
 * @example
 * ```ts
 * const transport = webSocketTransport(new WebSocket('ws://127.0.0.1:8080'));
 * const connection = await connect(transport, { clientInfo: { name: 'my-editor', version: '1.0.0' } });
 * ```
 */
export function webSocketTransport(
  socket: WebSocketLike,
  { maxMessageBytes = defaultMaxMessageBytes }: WebSocketTransportOptions = {},
): Transport {
  const reader = new WebSocketReader(socket, maxMessageBytes);
  const writer = new WebSocketWriter(socket);
  let wasOpen = false;
  let asked = false;
  let failure: unknown;
  let tooLarge: MessageTooLargeError | undefined;
  let end: (end: TransportEnd) => void = () => {};
  const ended = new Promise<TransportEnd>((resolve) => {
    end = (how) => {
      reader.finish();
      writer.finish();
      resolve(how);
    };
  });

  const close = (code: number, reason?: string) => {
    asked = true;
    // Whoever does not answer the close must not hold up the end.
    const timer = setTimeout(() => {
      socket.terminate?.();
      end(tooLarge ? { error: tooLarge } : {});
    }, maxClosingMs);
    void ended.then(() => clearTimeout(timer));
    if (socket.readyState < closing) socket.close(code, reason);
    reader.flow();
  };

  socket.addEventListener('open', () => {
    wasOpen = true;
  });
  socket.addEventListener('error', (event) => {
    failure ??= faultOf(event);
  });
  socket.addEventListener('close', ({ code, reason }) => {
    if (asked && !tooLarge) return end({});
    end({ error: tooLarge ?? closedError({ closeCode: code, reason }, wasOpen, failure) });
  });
  reader.onError((error) => {
    if (!(error instanceof MessageTooLargeError)) return;
    tooLarge ??= error;
    close(messageTooBig, 'message too large');
  });
  if (socket.readyState === closed) {
    end({ error: new ConnectionClosedError('The WebSocket was closed before it was used. Open a new one.') });
  } else wasOpen = socket.readyState !== connecting;

  return {
    reader,
    writer,
    ended,
    async close() {
      if (!asked) close(normalClosure);
      await ended;
    },
  };
}

function closedError(socketClose: SocketClose, wasOpen: boolean, failure: unknown): ConnectionClosedError {
  const { closeCode, reason } = socketClose;
  const why = reason === '' ? '' : `: ${reason}`;
  const fault = failure instanceof Error && failure.message !== '' ? ` ${failure.message}.` : '';
  const how = wasOpen ? 'The WebSocket was closed' : 'The WebSocket could not be opened';
  return new ConnectionClosedError(`${how} (close code ${closeCode}${why}).${fault}`, {
    socketClose,
    cause: failure,
  });
}

/** What an error event tells: Node's sockets carry the error, a browser's event says nothing. */
function faultOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'error' in event ? event.error : undefined;
}
