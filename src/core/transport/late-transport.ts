import { deferred } from '../base/wait.ts';
import { type Transport, type TransportEnd, type TransportListener, transportError } from './transport.ts';

/** A transport that is still being made: the code for it is loaded, or another way to the agent is tried first. */
export class LateTransport implements Transport {
  readonly ended: Promise<TransportEnd>;
  /** Only the ways to remote agents are made later. */
  readonly isRemote = true;
  readonly #made: Promise<Transport>;
  readonly #giveUp = new AbortController();
  readonly #listening = deferred<TransportListener>();
  #transport: Transport | undefined;
  #isPaused = false;

  /**
   * @param make - Makes the transport. It gets the listener when there is one, for what it has to report, and a signal
   *   that is aborted when the transport is no longer needed.
   */
  constructor(make: (listening: Promise<TransportListener>, signal: AbortSignal) => Promise<Transport>) {
    const listening = this.#listening.promise;
    this.#made = make(listening, this.#giveUp.signal).then((transport) => {
      this.#transport = transport;
      if (this.#isPaused) transport.pause?.();
      void listening.then((listener) => transport.listen(listener));
      return transport;
    });
    this.ended = this.#made.then(
      (transport) => transport.ended,
      (error: unknown) => ({ error: transportError(error) }),
    );
  }

  listen(listener: TransportListener): void {
    this.#listening.resolve(listener);
  }

  pause(): void {
    this.#isPaused = true;
    this.#transport?.pause?.();
  }

  resume(): void {
    this.#isPaused = false;
    this.#transport?.resume?.();
  }

  get queuedBytes(): number {
    return this.#transport?.queuedBytes ?? 0;
  }

  async send(message: object): Promise<void> {
    // A message that JSON cannot express is refused now, and not when there is a transport.
    if (!this.#transport) JSON.stringify(message);
    const transport = this.#transport ?? (await this.#made.catch(() => undefined));
    // Why there is none is in `ended`.
    await transport?.send(message);
  }

  async confirmEnd(signal: AbortSignal): Promise<void> {
    await this.#transport?.confirmEnd?.(signal);
  }

  async close(): Promise<void> {
    this.#giveUp.abort();
    const transport = await this.#made.catch(() => undefined);
    await transport?.close();
  }
}
