import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:http';

/** One event of a stream on its way to the client. */
export interface PassingEvent {
  readonly text: string;
  readonly stream: ProxiedStream;
  /** Sends it to the client, after what waits before it. */
  deliver(): void;
}

/** What the proxy does for its streams. */
export interface StreamHost {
  /** Decides what happens to an event. */
  pass(event: PassingEvent): void;
  /** An event has gone to the client. */
  delivered(stream: ProxiedStream): void;
}

/** How many events, which the client may already have, are sent again when it opens a stream again. */
const repeatedEvents = 2;

/** In how many parts an event is written that comes byte by byte. Each takes a turn of the event loop. */
const maxParts = 100;

/**
 * A stream of events between the server and the client. If the proxy gives ids to the events, it keeps them, so that
 * the client can open the stream again where it broke.
 */
export class ProxiedStream {
  readonly #host: StreamHost;
  readonly #hasIds: boolean;
  readonly #log: string[] = [];
  #client: ServerResponse | undefined;
  #upstream: IncomingMessage | undefined;
  #rest = '';
  /** What waits to be written, one after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(host: StreamHost, hasIds: boolean) {
    this.#host = host;
    this.#hasIds = hasIds;
  }

  /** The client opens the stream. Without ids there is only a first time. */
  open(target: string, incoming: IncomingMessage, client: ServerResponse): void {
    client.on('close', () => this.#clientLeft(client));
    if (this.#upstream) {
      this.#begin(client, this.#upstream);
      const lastId = Number(incoming.headers['last-event-id'] ?? -1);
      for (const [id, text] of this.#log.entries()) {
        if (id > lastId - repeatedEvents) client.write(text);
      }
      return;
    }
    const upstream = request(target, { method: 'GET', headers: incoming.headers, agent: false }, (answer) => {
      this.#upstream = answer;
      this.#begin(client, answer);
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => this.#read(chunk));
      answer.on('end', () => void this.#after(async () => this.#client?.end()));
      answer.on('error', () => this.cut());
    });
    upstream.on('error', () => client.destroy());
    upstream.end();
  }

  /** Breaks the connection to the client. */
  cut(): void {
    this.#client?.destroy();
  }

  /** Sends a part of an event, and breaks or ends the stream. */
  truncate(
    text: string,
    { bytes, how }: { readonly bytes: number | undefined; readonly how: 'cut' | 'end' },
  ) {
    void this.#after(async () => {
      const all = Buffer.from(text);
      const part = all.subarray(0, bytes ?? all.length / 2);
      if (part.length > 0) await new Promise((done) => this.#client?.write(part, done));
      if (how === 'end') this.#client?.end();
      else this.cut();
    });
  }

  /** Ends the stream in an orderly way. */
  end(): void {
    void this.#after(async () => this.#client?.end());
  }

  /** Writes a text, after what waits. */
  write(text: string): Promise<void> {
    return this.#after(async () => {
      this.#client?.write(text);
      this.#host.delivered(this);
    });
  }

  /** Writes a text one byte at a time, or a long one in many small parts. */
  writeBytes(text: string): Promise<void> {
    return this.#after(async () => {
      const all = Buffer.from(text);
      const length = Math.ceil(all.length / maxParts);
      for (let at = 0; at < all.length; at += length) {
        this.#client?.write(all.subarray(at, at + length));
        await new Promise(setImmediate);
      }
    });
  }

  /** Lets nothing pass until the promise has settled. */
  hold(until: Promise<unknown>): void {
    void this.#after(() => until);
  }

  async #after(action: () => Promise<unknown>): Promise<void> {
    const done = this.#writing.then(action).catch(() => {});
    this.#writing = done;
    await done;
  }

  #begin(client: ServerResponse, { statusCode = 500, headers }: IncomingMessage): void {
    client.writeHead(statusCode, headers);
    client.flushHeaders();
    this.#client = client;
  }

  #clientLeft(client: ServerResponse): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (!this.#hasIds) this.#upstream?.destroy();
  }

  #read(chunk: string): void {
    const events = (this.#rest + chunk).split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) {
      if (!/^data:/m.test(event)) continue;
      const text = this.#hasIds ? `id: ${this.#log.length}\n${event}\n\n` : `${event}\n\n`;
      if (this.#hasIds) this.#log.push(text);
      this.#host.pass({ text, stream: this, deliver: () => void this.write(text) });
    }
  }
}
