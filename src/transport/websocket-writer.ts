import { AbstractMessageWriter, type Message } from './jsonrpc.ts';
import type { WebSocketLike } from './websocket-like.ts';

const connecting = 0;
const open = 1;

/**
 * Writes one JSON message a frame, in the order of the calls. What is written to a socket that is closing or closed
 * is dropped and is no failed write: the end of the channel answers it, and says why.
 */
export class WebSocketWriter extends AbstractMessageWriter {
  readonly #socket: WebSocketLike;
  #waiting: { readonly frame: string; readonly done: () => void }[] = [];

  constructor(socket: WebSocketLike) {
    super();
    this.#socket = socket;
    socket.addEventListener('open', () => this.#flush());
  }

  async write(message: Message): Promise<void> {
    const frame = JSON.stringify(message);
    if (this.#socket.readyState === connecting || this.#waiting.length > 0) {
      return new Promise((done) => {
        this.#waiting.push({ frame, done });
      });
    }
    if (this.#socket.readyState === open) this.#socket.send(frame);
  }

  end(): void {
    if (this.#socket.readyState <= open) this.#socket.close(1000);
  }

  /** Nothing more can be sent. */
  finish(): void {
    for (const { done } of this.#waiting.splice(0)) done();
    this.fireClose();
  }

  #flush(): void {
    for (const { frame, done } of this.#waiting.splice(0)) {
      this.#socket.send(frame);
      done();
    }
  }
}
