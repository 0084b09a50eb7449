import { callListener } from '../../core/base/listeners.ts';
import { backOffMs } from '../../core/base/wait.ts';
import type { PanelChannel } from './channel.ts';
import { backgroundTimer } from './frame-timer.ts';

/** The pauses before a channel is opened again. */
const openingPauses = { firstDelayMs: 250, maxDelayMs: 10_000 };

/** What an end of a panel does with its wire. */
export interface WireListener {
  readonly onMessage: (message: unknown) => void;
  /** The other end is to be asked: a channel was opened, or it owes an answer. */
  readonly onAsk: () => void;
  /** The channel ended. */
  readonly onEnd: () => void;
  /** A message could not be sent, a channel could not be opened, or a listener could not be removed. */
  readonly onError: (error: unknown) => void;
}

/** Where a wire is: on a channel, between two of them, or at its end. */
type State =
  | { readonly is: 'open'; readonly channel: PanelChannel; readonly stopListening: () => void }
  | { readonly is: 'waiting'; readonly timer?: ReturnType<typeof setTimeout> }
  | { readonly is: 'over' };

/** The way from one end of a panel to the other: one channel, or one after the other if this end can open them. */
export class Wire {
  /** Asks the other end while it owes an answer. */
  readonly pulse: ReturnType<typeof pulse>;
  readonly #source: PanelChannel | (() => PanelChannel);
  readonly #listener: WireListener;
  #state: State = { is: 'waiting' };
  /** How many channels were opened again since a message came. */
  #attempt = 0;

  constructor(source: PanelChannel | (() => PanelChannel), listener: WireListener) {
    this.#source = source;
    this.#listener = listener;
    this.pulse = pulse(listener.onAsk);
  }

  /** Whether nothing can arrive any more. */
  get isOver(): boolean {
    return this.#state.is === 'over';
  }

  open(): void {
    let isCurrent = true;
    let stop = () => {};
    const stopListening = () => {
      isCurrent = false;
      callListener(stop, this.#listener.onError);
    };
    const ended = () => isCurrent && this.#ended();
    try {
      const channel = typeof this.#source === 'function' ? this.#source() : this.#source;
      // Before it listens: a channel can deliver at once what has come before.
      this.#state = { is: 'open', channel, stopListening };
      stop = channel.listen((message) => {
        if (!isCurrent) return;
        this.#attempt = 0;
        this.#listener.onMessage(message);
      });
      channel.ended?.then(ended, ended);
    } catch (error) {
      this.#listener.onError(error);
      this.#reopen();
      return;
    }
    if (!this.pulse.isWaiting()) this.pulse.soon();
  }

  /** Resolves to the error of the channel, if it has one. */
  async post(message: object): Promise<unknown> {
    if (this.#state.is !== 'open') return;
    try {
      await this.#state.channel.post(message);
    } catch (error) {
      if (!this.isOver) this.#listener.onError(error);
      return error;
    }
  }

  close(): void {
    this.pulse.stop();
    if (this.#state.is === 'open') this.#state.stopListening();
    else if (this.#state.is === 'waiting') clearTimeout(this.#state.timer);
    this.#state = { is: 'over' };
  }

  #ended(): void {
    if (this.#state.is === 'open') this.#state.stopListening();
    this.pulse.stop();
    this.#reopen();
    this.#listener.onEnd();
  }

  #reopen(): void {
    if (typeof this.#source !== 'function') {
      this.#state = { is: 'over' };
      return;
    }
    const timer = setTimeout(() => this.open(), backOffMs(this.#attempt++, openingPauses));
    this.#state = { is: 'waiting', timer };
  }
}

/** The shortest pause between two questions, in milliseconds. */
const shortestMs = 200;
const askingPauses = { firstDelayMs: 1000, maxDelayMs: 10_000 };

/** Asks the other end again and again, with growing pauses, as long as something is open. */
function pulse(ask: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** How often it has asked since it was stopped. */
  let attempt = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = backgroundTimer(askAndWait, ms);
  };
  const askAndWait = () => {
    askedAt = performance.now();
    wait(backOffMs(attempt++, askingPauses));
    ask();
  };
  /** There is nothing to ask for. */
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    attempt = 0;
  };
  return {
    stop,

    isWaiting: () => timer !== undefined,

    /** Asks because something is missing: at once, or after the shortest pause. */
    soon(): void {
      const sinceMs = performance.now() - askedAt;
      stop();
      if (sinceMs >= shortestMs) askAndWait();
      else wait(shortestMs - sinceMs);
    },

    /** Asks if nothing happens within the pause. Does nothing while it waits already. */
    later(): void {
      if (timer === undefined) wait(backOffMs(attempt, askingPauses));
    },
  };
}
