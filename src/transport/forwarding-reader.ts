import type { Message, MessageReader } from './jsonrpc.ts';
import { PacedReader } from './paced-reader.ts';

/** Lets any message reader be held: what it delivers meanwhile waits here, in order. */
export class ForwardingReader extends PacedReader {
  #waiting: Message[] = [];
  #next = 0;

  constructor(source: MessageReader) {
    super();
    source.onError((error) => this.fireError(error));
    source.onClose(() => this.end());
    source.listen((message) => {
      this.#waiting.push(message);
      this.run();
    });
  }

  protected take(): Message | undefined {
    const message = this.#waiting[this.#next];
    if (message === undefined) {
      this.#waiting = [];
      this.#next = 0;
      return undefined;
    }
    this.#next++;
    return message;
  }

  protected paced(): void {
    // A reader of somebody else's cannot be asked to pause.
  }
}
