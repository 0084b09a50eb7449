import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from '#jsonrpc';

/** The reader that vscode-jsonrpc listens to: it sees what the peer lets through. */
export class Inlet extends AbstractMessageReader {
  #callback: DataCallback | undefined;

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    return { dispose() {} };
  }

  deliver(message: Message): void {
    this.#callback?.(message);
  }
}
