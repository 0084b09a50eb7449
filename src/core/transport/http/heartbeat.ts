import { hasMethods } from '../../base/options.ts';
import { maxTimerMs, unrefTimer } from '../../base/wait.ts';
import type { WebSocketLike } from '../websocket.ts';

/** How often the server is asked within the time limit. */
const pingsPerLimit = 3;

/** The part of a socket of `ws` that browsers do not have. */
interface Pingable {
  ping(): void;
  terminate(): void;
  /** Whether the client does not read now. Then it does not see answers either. */
  readonly isPaused: boolean;
  on(event: 'message' | 'ping' | 'pong' | 'close', listener: () => void): unknown;
}

/**
 * Ends a socket whose server has not been heard for a while. Without it, a connection that was lost silently, for
 * example because the machine slept, would look open for a quarter of an hour. Sockets that cannot ping are left alone.
 */
export function endIfSilent(socket: WebSocketLike, limitMs: number): void {
  if (!isPingable(socket) || !Number.isFinite(limitMs)) return;
  let unanswered = 0;
  const heard = () => {
    unanswered = 0;
  };
  const timer = setInterval(
    () => {
      if (socket.isPaused) return heard();
      if (unanswered === pingsPerLimit) return socket.terminate();
      unanswered++;
      socket.ping();
    },
    Math.min(limitMs / pingsPerLimit, maxTimerMs),
  );
  unrefTimer(timer);
  for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, heard);
  socket.on('close', () => clearInterval(timer));
}

function isPingable(socket: object): socket is Pingable {
  return hasMethods(socket, 'ping', 'terminate', 'on');
}
