import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PassingEvent } from './http-streams.ts';

/** How long a delayed message waits, in milliseconds. */
export const delayMs = 150;

/** What a fault of an event can use. */
export interface EventScene {
  /** Breaks all connections of the client. */
  cutAll(): void;
  /** Resolves when an event of another stream has passed, or after a while. */
  overtaken(): Promise<void>;
  /** Where an event is cut that is cut in the middle. Default: at half of it. */
  readonly bytes: number | undefined;
}

/** What can happen to one event of a stream. */
export const eventFaults = {
  'is lost, and the stream breaks': ({ stream }) => stream.cut(),
  'arrives, and the stream breaks': ({ stream, text }) => {
    void stream.write(text).then(() => setImmediate(() => stream.cut()));
  },
  'is lost, and all connections break': (_, { cutAll }) => cutAll(),
  'is lost, and the stream ends': ({ stream }) => stream.end(),
  'is cut in the middle, and the stream breaks': ({ stream, text }, { bytes }) =>
    stream.truncate(text, { bytes, how: 'cut' }),
  'is cut in the middle, and the stream ends': ({ stream, text }, { bytes }) =>
    stream.truncate(text, { bytes, how: 'end' }),
  'is delayed': (event) => {
    event.stream.hold(new Promise((done) => setTimeout(done, delayMs)));
    event.deliver();
  },
  'is overtaken by another stream': (event, { overtaken }) => {
    event.stream.hold(overtaken());
    event.deliver();
  },
  'comes byte by byte': ({ stream, text }) => void stream.writeBytes(text),
  'comes twice': ({ deliver }) => {
    deliver();
    deliver();
  },
} satisfies Record<string, (event: PassingEvent, scene: EventScene) => void>;

/** A request of the client on its way to the server. */
export interface PassingRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Sends it to the server, and the answer to the client. */
  forward(): void;
  /** Sends it to the server, and drops the answer. */
  forwardOnly(): Promise<void>;
}

const html = '<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>nginx</body></html>';

function refuse(status: number, headers: Readonly<Record<string, string>> = {}, body = 'No.') {
  return ({ outgoing }: PassingRequest) => {
    outgoing.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  };
}

/** What can happen to a request. */
export const requestFaults = {
  'is lost before the server': ({ incoming }) => void incoming.socket.destroy(),
  'is taken, and its answer is lost': (passing) => {
    void passing.forwardOnly().then(() => passing.incoming.socket.destroy());
  },
  'is delayed': ({ forward }) => void setTimeout(forward, delayMs),
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
} satisfies Record<string, (passing: PassingRequest) => void>;

export type EventFault = keyof typeof eventFaults;
export type RequestFault = keyof typeof requestFaults;
