import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { deferred } from '../../base/wait.ts';
import type { SessionMethods } from '../session-methods.ts';
import type { Transport, TransportEnd, TransportListener } from '../transport.ts';

/** How the channel of {@link SocketOrHttp} begins. */
export interface TwoWays {
  readonly socket: Transport;
  readonly methods: SessionMethods;
  /** Opens the other way to the same server. Called with what is wrong with the server over a WebSocket. */
  readonly openHttp: (fault: string) => Transport;
}

/**
 * A channel over a WebSocket, which is exchanged for streamable HTTP if the agent's answer to `initialize` shows that its
 * server is known to be wrong over a WebSocket. The call is then sent again over HTTP, and its first answer is dropped: the
 * client sees one call and one answer.
 */
export class SocketOrHttp implements Transport {
  readonly #ways: TwoWays;
  readonly #end = deferred<TransportEnd>();
  readonly ended = this.#end.promise;
  #current: Transport;
  /** The call that makes the connection, until it has a result. */
  #introduction: JsonObject | undefined;
  /** The end of the WebSocket that is not used any more. */
  #left: Promise<void> | undefined;

  constructor(ways: TwoWays) {
    this.#ways = ways;
    this.#current = ways.socket;
    this.#follow(ways.socket);
  }

  listen(listener: TransportListener): void {
    this.#listenTo(this.#current, listener);
  }

  pause(): void {
    this.#current.pause?.();
  }

  resume(): void {
    this.#current.resume?.();
  }

  get queuedBytes(): number | undefined {
    return this.#current.queuedBytes;
  }

  send(message: object): Promise<void> {
    const { socket, methods } = this.#ways;
    const isIntroduction = isJsonObject(message) && message['method'] === methods.initialize;
    if (isIntroduction && this.#current === socket) this.#introduction = message;
    return this.#current.send(message);
  }

  async confirmEnd(signal: AbortSignal): Promise<void> {
    await this.#current.confirmEnd?.(signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#current.close(), this.#left]);
  }

  #follow(transport: Transport): void {
    void transport.ended.then((end) => {
      if (transport === this.#current) this.#end.resolve(end);
    });
  }

  #listenTo(transport: Transport, listener: TransportListener): void {
    const isCurrent = () => transport === this.#current;
    transport.listen({
      onMessage: (message) => {
        if (isCurrent() && !this.#exchanges(message, listener)) listener.onMessage(message);
      },
      onDiagnostic: (diagnostic) => {
        if (isCurrent()) listener.onDiagnostic(diagnostic);
      },
      onActivity: () => listener.onActivity(),
      onRequestFailed: (id, error) => listener.onRequestFailed?.(id, error),
      onSessionLost: (loss) => listener.onSessionLost?.(loss),
    });
  }

  /** Takes the other way if the answer to the call that makes the connection says so. */
  #exchanges(message: unknown, listener: TransportListener): boolean {
    const introduction = this.#introduction;
    if (!introduction || !isJsonObject(message) || message['id'] !== introduction['id']) return false;
    const { result } = message;
    if (!isJsonObject(result)) return false;
    this.#introduction = undefined;
    const { socket, methods, openHttp } = this.#ways;
    const fault = methods.webSocketFault?.(result);
    if (fault === undefined) return false;
    const http = openHttp(fault);
    this.#current = http;
    this.#left = socket.close().catch(() => {});
    this.#follow(http);
    this.#listenTo(http, listener);
    // Why it fails is how the channel ends.
    http.send(introduction).catch(() => {});
    return true;
  }
}
