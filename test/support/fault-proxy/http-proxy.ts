import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { portOf } from '../transports/port.ts';
import { hasId, type Passed } from './channel-faults.ts';
import {
  delayMs,
  type EventFault,
  eventFaults,
  type PassingRequest,
  type RequestFault,
  requestFaults,
} from './http-faults.ts';
import { type PassingEvent, ProxiedStream } from './http-streams.ts';
import { Network } from './network.ts';

/** What passes the proxy, counted from 0 for each kind. */
export type HttpFault =
  | {
      readonly what: 'event';
      readonly at: number;
      readonly name: EventFault;
      /** Where an event is cut that is cut in the middle. Default: at half of it. */
      readonly bytes?: number;
    }
  | { readonly what: 'post' | 'stream'; readonly at: number; readonly name: RequestFault };

export interface HttpProxyOptions {
  /** What goes wrong, once. */
  readonly fault?: HttpFault;
  /** Whether the proxy gives ids to the events, and resumes a stream at one. */
  readonly hasEventIds?: boolean;
  /** Delays each event of the streams of sessions by so much. */
  readonly sessionDelayMs?: number;
  /** The network between the client and the proxy. By default it is never away. */
  readonly network?: Network;
}

/** A proxy between a client and a server of streamable HTTP. */
export class HttpFaultProxy implements Passed {
  readonly identified: number[] = [];
  readonly counts: Record<HttpFault['what'], number> = { event: 0, post: 0, stream: 0 };
  readonly #target: string;
  readonly #options: HttpProxyOptions;
  readonly #network: Network;
  readonly #sockets = new Set<Socket>();
  /** With ids, streams are kept for the client to come back: by connection and session. */
  readonly #kept = new Map<string, ProxiedStream>();
  readonly #server = createServer((incoming, outgoing) => this.#take(incoming, outgoing));
  #onDelivered = new Set<(stream: ProxiedStream) => void>();

  private constructor(target: string, options: HttpProxyOptions) {
    this.#target = target;
    this.#options = options;
    this.#network = options.network ?? new Network(undefined);
    this.#network.onCut(() => this.#cutAll());
    this.#server.on('connection', (socket: Socket) => {
      if (this.#network.isAway) return void socket.destroy();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async listen(target: string, options: HttpProxyOptions = {}): Promise<HttpFaultProxy> {
    const proxy = new HttpFaultProxy(target, options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#cutAll();
  }

  #cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method } = incoming;
    if (method === 'GET') return this.#meet('stream', this.#stream(incoming, outgoing));
    const passing = this.#request(incoming, outgoing);
    if (method === 'POST') this.#meet('post', passing);
    else passing.forward();
  }

  /** Lets a request pass, or causes the fault. */
  #meet(what: 'post' | 'stream', passing: PassingRequest): void {
    const at = this.counts[what]++;
    const { fault } = this.#options;
    if (fault?.what !== what || fault.at !== at) return passing.forward();
    requestFaults[fault.name](passing);
    this.#network.faultHappened();
  }

  #stream(incoming: IncomingMessage, outgoing: ServerResponse): PassingRequest {
    const { hasEventIds = false, sessionDelayMs } = this.#options;
    const sessionId = incoming.headers['acp-session-id'];
    const key = `${incoming.headers['acp-connection-id']} ${sessionId}`;
    const forward = () => {
      const stream =
        this.#kept.get(key) ??
        new ProxiedStream(
          {
            pass: (event) => {
              if (sessionDelayMs !== undefined && sessionId !== undefined) {
                event.stream.hold(new Promise((done) => setTimeout(done, sessionDelayMs)));
              }
              this.#passEvent(event);
            },
            delivered: (from) => {
              for (const listener of this.#onDelivered) listener(from);
            },
          },
          hasEventIds,
        );
      if (hasEventIds) this.#kept.set(key, stream);
      stream.open(`${this.#target}${incoming.url}`, incoming, outgoing);
    };
    return { incoming, outgoing, forward, forwardOnly: async () => {} };
  }

  #passEvent(event: PassingEvent): void {
    const at = this.counts.event++;
    if (hasId(Buffer.from(event.text))) this.identified.push(at);
    const { fault } = this.#options;
    if (fault?.what !== 'event' || fault.at !== at) return event.deliver();
    eventFaults[fault.name](event, {
      cutAll: () => this.#cutAll(),
      overtaken: () => this.#overtaken(event.stream),
      bytes: fault.bytes,
    });
    this.#network.faultHappened();
  }

  #overtaken(stream: ProxiedStream): Promise<void> {
    return new Promise((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        this.#onDelivered.delete(look);
        resolve();
      };
      const look = (from: ProxiedStream) => {
        if (from !== stream) stop();
      };
      const timer = setTimeout(stop, delayMs);
      this.#onDelivered.add(look);
    });
  }

  #request(incoming: IncomingMessage, outgoing: ServerResponse): PassingRequest {
    const { method, url = '', headers } = incoming;
    const send = (onAnswer: (answer: IncomingMessage) => void, onFailure: () => void) => {
      const upstream = request(`${this.#target}${url}`, { method, headers, agent: false }, onAnswer);
      upstream.on('error', onFailure);
      incoming.pipe(upstream);
    };
    return {
      incoming,
      outgoing,
      forward: () =>
        send(
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
            answer.pipe(outgoing);
          },
          () => outgoing.destroy(),
        ),
      forwardOnly: () =>
        new Promise((resolve) => send((answer) => answer.resume().on('end', resolve), resolve)),
    };
  }
}
