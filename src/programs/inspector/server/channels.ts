import type { ServerResponse } from 'node:http';
import type { PanelChannel } from '../../../ui/panel/channel.ts';
import { keepAliveMs } from './feed.ts';

/** How many bytes for a page wait to be read. One that reads less gets the whole state when it asks again. */
export const maxUnreadBytes = 16 * 1024 * 1024;

/** A page that has its stream. */
interface Page {
  readonly response: ServerResponse;
  receive: (message: string) => void;
}

/** The channels of the pages of a panel: a stream to each page, and a request for each message from it. */
export class PanelChannels {
  readonly #attach: (channel: PanelChannel) => void;
  readonly #maxPages: number;
  /** By the id that a page has chosen. */
  readonly #pages = new Map<string, Page>();

  constructor(attach: (channel: PanelChannel) => void, maxPages: number) {
    this.#attach = attach;
    this.#maxPages = maxPages;
  }

  /** Whether there is room for a page, or the page is known. */
  hasRoomFor(id: string): boolean {
    return this.#pages.has(id) || this.#pages.size < this.#maxPages;
  }

  /** Opens the stream to a page for which there is room. */
  open(id: string, response: ServerResponse): void {
    // A page that was cut off asks again, before the end of its stream is noticed here.
    this.#pages.get(id)?.response.destroy();
    const page: Page = { response, receive: () => {} };
    this.#pages.set(id, page);
    const keepAlive = setInterval(() => response.write('\n'), keepAliveMs);
    const ended = new Promise<void>((resolve) => {
      response.once('close', () => {
        clearInterval(keepAlive);
        if (this.#pages.get(id) === page) this.#pages.delete(id);
        resolve();
      });
    });
    this.#attach({
      ended,
      post(message) {
        response.write(`${JSON.stringify(message)}\n`);
        if (response.writableLength > maxUnreadBytes) response.destroy();
      },
      listen(listener) {
        page.receive = listener;
        return () => {
          if (page.receive === listener) page.receive = () => {};
        };
      },
    });
    // The page sends nothing before it sees the start of its stream.
    response.flushHeaders();
  }

  /** Takes the messages of a page. Returns whether the page has its stream. */
  receive(id: string, messages: readonly string[]): boolean {
    const page = this.#pages.get(id);
    for (const message of messages) page?.receive(message);
    return page !== undefined;
  }
}
