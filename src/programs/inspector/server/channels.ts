import type { ServerResponse } from 'node:http';
import type { PanelChannel } from '../../../ui/panel/channel.ts';
import { keepAliveMs } from './feed.ts';

/** How many bytes for a page wait to be read. One that reads less gets the whole state when it asks again. */
export const maxUnreadBytes = 16 * 1024 * 1024;

/** How many messages of a page are kept that arrive before its stream, and for how long, in milliseconds. */
const maxEarly = 16;
const earlyMs = 10_000;

/** A page: its stream, and what it sent before the stream was open. */
interface Page {
  response: ServerResponse | undefined;
  receive: ((message: string) => void) | undefined;
  early: string[];
  readonly timer: NodeJS.Timeout;
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
    const page = this.#page(id);
    if (!page) return;
    // A page that was cut off asks again, before the end of its stream is noticed here.
    page.response?.destroy();
    page.response = response;
    clearTimeout(page.timer);
    response.flushHeaders();
    const keepAlive = setInterval(() => response.write('\n'), keepAliveMs);
    const ended = new Promise<void>((resolve) => {
      response.once('close', () => {
        clearInterval(keepAlive);
        if (page.response === response) this.#pages.delete(id);
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
        for (const message of page.early.splice(0)) listener(message);
        return () => {
          if (page.receive === listener) page.receive = undefined;
        };
      },
    });
  }

  /** Takes the messages of a page. Returns whether they are kept or handled. */
  receive(id: string, messages: readonly string[]): boolean {
    const page = this.#page(id);
    if (!page) return false;
    for (const message of messages) {
      if (page.receive) page.receive(message);
      else if (page.early.length < maxEarly) page.early.push(message);
      else return false;
    }
    return true;
  }

  #page(id: string): Page | undefined {
    const known = this.#pages.get(id);
    if (known || !this.hasRoomFor(id)) return known;
    const forget = () => {
      if (!page.response) this.#pages.delete(id);
    };
    const timer = setTimeout(forget, earlyMs);
    timer.unref();
    const page: Page = { response: undefined, receive: undefined, early: [], timer };
    this.#pages.set(id, page);
    return page;
  }
}
