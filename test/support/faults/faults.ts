import { setTimeout as sleep } from 'node:timers/promises';
import { idOf } from '../../../src/core/transport/http/routes.ts';

/** How long a delayed message waits, in milliseconds. */
const delayMs = 50;

/** One message on its way, as the bytes that carry it. */
export interface PassingMessage {
  readonly bytes: Uint8Array;
  /** Passes bytes on, after what waits before them. */
  write(bytes: Uint8Array): void;
  /** Lets nothing pass until the promise has settled. */
  hold(until: Promise<unknown>): void;
  /** Breaks what carries it, when everything that was written has gone. */
  breakOff(): void;
}

/** One event of one of several streams on its way. */
export interface PassingEvent extends PassingMessage {
  /** Ends its stream in an orderly way. */
  end(): void;
  /** Breaks all connections of the client. */
  breakAll(): void;
  /** Resolves when an event of another stream has passed. */
  overtaken(): Promise<unknown>;
}

const pass = (message: PassingMessage) => message.write(message.bytes);
const cut = ({ write, bytes }: PassingMessage) => write(bytes.subarray(0, bytes.length / 2));

/** What can happen to a message. */
export const messageFaults = {
  'is lost, and what carries it breaks': (message) => message.breakOff(),
  'arrives, and what carries it breaks': (message) => {
    pass(message);
    message.breakOff();
  },
  'is cut in the middle, and what carries it breaks': (message) => {
    cut(message);
    message.breakOff();
  },
  'is delayed': (message) => {
    message.hold(sleep(delayMs));
    pass(message);
  },
  'comes byte by byte': ({ bytes, write, hold }) => {
    for (const at of bytes.keys()) {
      write(bytes.subarray(at, at + 1));
      if (at % 16 === 0) hold(new Promise(setImmediate));
    }
  },
  // Only what has an id can be told from what was said twice.
  'comes twice': (message) => {
    pass(message);
    pass(message);
  },
} satisfies Record<string, (message: PassingMessage) => void>;

/** What can happen to an event of a stream. */
export const eventFaults = {
  ...messageFaults,
  'is lost, and the stream ends': (event) => event.end(),
  'is cut in the middle, and the stream ends': (event) => {
    cut(event);
    event.end();
  },
  'is lost, and all connections break': (event) => event.breakAll(),
  'is overtaken by another stream': (event) => {
    event.hold(Promise.race([event.overtaken(), sleep(3 * delayMs)]));
    pass(event);
  },
} satisfies Record<string, (event: PassingEvent) => void>;

/** The error of a request whose connection breaks. */
export const lost = (): TypeError => new TypeError('fetch failed');

const html = '<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>nginx</body></html>';

const refuse = (status: number, headers: Readonly<Record<string, string>> = {}, body = 'No.') => {
  return async () => new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } });
};

/** Sends a request on, and resolves to its answer. */
type Forward = () => Promise<Response>;

/** What can happen to a request. */
export const requestFaults = {
  'is lost before the server': () => Promise.reject(lost()),
  'is taken, and its answer is lost': async (forward) => {
    await (await forward()).body?.cancel();
    throw lost();
  },
  'is delayed': (forward) => sleep(3 * delayMs).then(forward),
  'gets 401': refuse(401),
  'gets 403': refuse(403),
  'gets 404': refuse(404),
  'gets 409': refuse(409),
  'gets 410': refuse(410),
  'gets 429 with Retry-After': refuse(429, { 'retry-after': '0' }),
  'gets 500': refuse(500),
  'gets 502 and a page of HTML': refuse(502, { 'content-type': 'text/html' }, html),
  'gets 503 with Retry-After': refuse(503, { 'retry-after': '0' }),
  'gets 200 and a page of HTML': refuse(200, { 'content-type': 'text/html' }, html),
} satisfies Record<string, (forward: Forward) => Promise<Response>>;

/** The directions of a channel with one order. */
export const directions = ['to the client', 'to the agent'] as const;
export type Direction = (typeof directions)[number];

/** What goes wrong, once: with number `at` of what passes at a place, from 0. */
export type Fault = { readonly at: number } & (
  | { readonly place: Direction; readonly name: keyof typeof messageFaults }
  | { readonly place: 'event'; readonly name: keyof typeof eventFaults }
  | { readonly place: 'post' | 'stream'; readonly name: keyof typeof requestFaults }
);

/** One thing that goes wrong, and what there is besides. */
export interface FaultCase {
  readonly name: string;
  readonly fault?: Fault;
  /** Whether the events of streams have ids, with which a stream can be opened again where it broke. */
  readonly hasEventIds?: boolean;
}

/** What has passed without a fault. */
export interface Passed {
  readonly counts: Readonly<Record<Fault['place'], number>>;
  /** The messages or events to the client with an id: its answers, and the agent's requests. */
  readonly identified: readonly number[];
}

/** What is between the client and the agent in one case: it counts what passes, and lets one thing go wrong. */
export class Between implements Passed {
  readonly counts = { 'to the client': 0, 'to the agent': 0, event: 0, post: 0, stream: 0 };
  readonly identified: number[] = [];
  readonly given: FaultCase;

  constructor(given: FaultCase) {
    this.given = given;
  }

  message(place: Direction, message: PassingMessage): void {
    const { fault } = this.given;
    if (place === 'to the client') this.#noteId(place, message);
    const isDue = this.#isDue(place);
    if (!isDue || fault?.place !== place) return pass(message);
    messageFaults[fault.name](message);
  }

  event(event: PassingEvent): void {
    const { fault } = this.given;
    this.#noteId('event', event);
    const isDue = this.#isDue('event');
    if (!isDue || fault?.place !== 'event') return pass(event);
    eventFaults[fault.name](event);
  }

  request(place: 'post' | 'stream', forward: Forward): Promise<Response> {
    const { fault } = this.given;
    const isDue = this.#isDue(place);
    if (!isDue || fault?.place !== place) return forward();
    return requestFaults[fault.name](forward);
  }

  #noteId(place: Fault['place'], { bytes }: PassingMessage): void {
    const text = new TextDecoder().decode(bytes);
    // Only the message has braces.
    if (idOf(JSON.parse(text.slice(text.indexOf('{')))) !== undefined) {
      this.identified.push(this.counts[place]);
    }
  }

  #isDue(place: Fault['place']): boolean {
    const at = this.counts[place]++;
    return this.given.fault?.place === place && this.given.fault.at === at;
  }
}

/** Does one thing after the other, for all messages that pass in one direction or on one stream. */
export class Row {
  #last: Promise<unknown> = Promise.resolve();

  add(action: () => unknown): void {
    this.#last = this.#last.then(action).catch(() => {});
  }

  /** A message that passes here. */
  message(
    bytes: Uint8Array,
    carrier: { write(bytes: Uint8Array): unknown; breakOff(): unknown },
  ): PassingMessage {
    return {
      bytes,
      write: (some) => this.add(() => carrier.write(some)),
      hold: (until) => this.add(() => until),
      breakOff: () => this.add(() => carrier.breakOff()),
    };
  }
}
