import { EventEmitter, once } from 'node:events';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { allHappened, TimedStream } from '../timed-acp-server.ts';
import { type Between, lost, Row } from './faults.ts';

/** How many events, which the client may already have, are sent again when it opens a stream again. */
const repeatedEvents = 2;

/** A stream of the server on its way to the client. */
interface PassingStream {
  readonly row: Row;
  /** The events so far, with their ids if there are any. */
  readonly events: string[];
  /** What the client reads, once it does. */
  client: TimedStream | undefined;
  /** Ends what comes from the server, unless it is kept for the client to come back. */
  leave(): void;
}

/**
 * A client's `fetch` with faults on the way to a server of streamable HTTP. With `hasEventIds` it gives ids to the events
 * and keeps them, so that the client can open a stream again where it broke.
 */
export function faultyFetch(between: Between): typeof fetch {
  const { hasEventIds = false } = between.given;
  const kept = new Map<string, PassingStream>();
  const passing = new EventEmitter();
  passing.setMaxListeners(0);
  let connections = new AbortController();
  const breakAll = () => {
    connections.abort(lost());
    connections = new AbortController();
  };

  const passEvent = (stream: PassingStream, data: string) => {
    const text = `${hasEventIds ? `id: ${stream.events.length}\n` : ''}data: ${data}\n\n`;
    stream.events.push(text);
    between.event({
      ...stream.row.message(Buffer.from(text), {
        write(bytes) {
          stream.client?.write(bytes);
          passing.emit('event', stream);
        },
        async breakOff() {
          // What was written is read before.
          await allHappened();
          stream.client?.break();
          stream.leave();
        },
      }),
      end: () =>
        stream.row.add(() => {
          stream.client?.end();
          stream.leave();
        }),
      breakAll,
      async overtaken() {
        for (let from: unknown = stream; from === stream; ) [from] = await once(passing, 'event');
      },
    });
  };

  const read = async (stream: PassingStream, body: ReadableStream<Uint8Array>) => {
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    try {
      for await (const { data } of events) passEvent(stream, data);
      stream.row.add(() => stream.client?.end());
    } catch {
      stream.row.add(() => stream.client?.break());
    }
  };

  const openStream = async (url: string, init: RequestInit, signal: AbortSignal): Promise<Response> => {
    const headers = new Headers(init.headers);
    const name = `${headers.get('acp-connection-id')} ${headers.get('acp-session-id')}`;
    let stream = kept.get(name);
    if (!stream) {
      const upstream = new AbortController();
      const answer = await fetch(url, { ...init, signal: upstream.signal });
      if (!answer.ok || !answer.body) return answer;
      const leave = () => hasEventIds || upstream.abort();
      stream = { row: new Row(), events: [], client: undefined, leave };
      if (hasEventIds) kept.set(name, stream);
      void read(stream, answer.body);
    }
    const client = new TimedStream(name);
    stream.client = client;
    const { leave } = stream;
    const left = () => {
      client.break(signal.reason);
      leave();
    };
    if (signal.aborted) left();
    signal.addEventListener('abort', left);
    const lastId = Number(headers.get('last-event-id') ?? -1);
    for (const known of stream.events.slice(Math.max(0, lastId + 1 - repeatedEvents))) client.write(known);
    return client.response;
  };

  return async (url, init = {}) => {
    const signal = AbortSignal.any([connections.signal, ...(init.signal ? [init.signal] : [])]);
    signal.throwIfAborted();
    const broken = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    // What has reached the server is there, also if the client gives the request up.
    const send = () => fetch(url, { ...init, signal: null });
    const answers: Readonly<Record<string, () => Promise<Response>>> = {
      GET: () => between.request('stream', () => openStream(String(url), init, signal)),
      POST: () => between.request('post', send),
    };
    return Promise.race([(answers[init.method ?? 'GET'] ?? send)(), broken]);
  };
}
