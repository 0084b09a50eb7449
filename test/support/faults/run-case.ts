import { EventEmitter, once } from 'node:events';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { allHappened, TimedStream } from '../timed-acp-server.ts';
import type { TransportName } from '../transports/names.ts';
import { type AgentHost, LateAgentEnd, perLine, type Wire } from '../transports/wire.ts';
import type { Recovery } from './cases.ts';
import { Between, type Direction, type FaultCase, lost, type Passed, Row } from './faults.ts';
import type { Play } from './play.ts';
import { PlayingAgent } from './playing-agent.ts';
import { PlayingClient, type SeenTurn } from './playing-client.ts';

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

const encoder = new TextEncoder();

/** A connection with one order in each direction, with faults at the agent's end of it. */
export function faultyWire({ transport, agent, breakOff }: Wire, between: Between): Wire {
  const end = new LateAgentEnd();
  let isBroken = false;
  const breakOnce = () => {
    if (isBroken) return;
    isBroken = true;
    breakOff();
    end.clientEnded();
  };
  const passLine = (direction: Direction, deliver: (bytes: Uint8Array) => void) => {
    const row = new Row();
    const write = (bytes: Uint8Array) => isBroken || deliver(bytes);
    return perLine((line) => {
      const bytes = encoder.encode(`${line}\n`);
      between.message(direction, row.message(bytes, { write, breakOff: breakOnce }));
    });
  };
  const toAgent = passLine(
    'to the agent',
    perLine((line) => end.receive(line)),
  );
  agent.onLine((line) => toAgent(`${line}\n`));
  agent.onEnd(() => end.clientEnded());
  end.attach({
    write: passLine('to the client', (bytes) => agent.write(bytes)),
    end: () => agent.end(),
    closeInput: () => agent.closeInput(),
    exit: (exit) => agent.exit(exit),
  });
  return { transport, agent: end, breakOff };
}

/** How long a case may take, in milliseconds. It needs a small part of it. */
const limitMs = 90_000;

/** What the user saw, and what the agent did. */
export interface Seen {
  readonly end: 'hangs' | 'is open' | 'has ended';
  /** What the client did last. */
  readonly last: string;
  /** The error of the call that failed last. */
  readonly error: unknown;
  readonly turns: readonly SeenTurn[];
  /** The texts of the prompts that arrived at the agent. */
  readonly arrived: readonly string[];
  /** Absent where there was no session. */
  readonly conversation: Conversation | undefined;
  readonly passed: Passed;
  /** The sessions on which two agents worked at the same time. */
  readonly shared: readonly string[];
}

/** Where a play happens. */
export interface Stage {
  readonly transport: TransportName;
  readonly host: AgentHost;
  readonly play: Play;
}

/** Plays a session between a client and an agent while one thing goes wrong. */
export async function runCase(stage: Stage, client: Recovery['client'], given: FaultCase): Promise<Seen> {
  const between = new Between(given);
  const agent = new PlayingAgent(stage.play);
  const playing = new PlayingClient(stage.play, agent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'hangs'>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), limitMs);
  });
  try {
    const start = connections(stage, between, agent);
    const end = await Promise.race([playing.play(start, client), late]);
    const { last, error, turns, conversation } = playing;
    const { prompts: arrived, shared } = agent;
    return { end, last, error, turns, arrived, conversation, passed: between, shared };
  } finally {
    clearTimeout(timer);
    await playing.connection?.close();
  }
}

/** Makes connections to the agent, with faults on their way. */
function connections({ transport, host }: Stage, between: Between, agent: PlayingAgent): () => Transport {
  const isHttp = transport === 'streamable-http';
  const fetch = isHttp ? faultyFetch(between) : undefined;
  return () => {
    const wire = isHttp ? host.open({ fetch }) : faultyWire(host.open(), between);
    agent.serve(wire);
    return wire.transport;
  };
}
