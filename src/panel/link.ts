import { callListener } from '../base/listeners.ts';
import { backOffMs } from '../base/wait.ts';
import type { PanelChannel } from './channel.ts';

/** The pauses before a channel is opened again. */
const pauses = { firstDelayMs: 250, maxDelayMs: 10_000 };

/** What a page does with its channel. */
export interface LinkListener {
  readonly onMessage: (message: unknown) => void;
  /** A channel was opened. */
  readonly onOpen: () => void;
  /** The channel ended. */
  readonly onEnd: () => void;
  /** A message could not be sent, or a channel could not be opened. */
  readonly onError: (error: unknown) => void;
}

/** The page's way to the host: one channel, or one after the other if the page can open them. */
export class PanelLink {
  readonly #source: PanelChannel | (() => PanelChannel);
  readonly #listener: LinkListener;
  #channel: PanelChannel | undefined;
  #stopListening: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many channels were opened again without an answer of the host. */
  #attempt = 0;
  #isClosed = false;

  constructor(source: PanelChannel | (() => PanelChannel), listener: LinkListener) {
    this.#source = source;
    this.#listener = listener;
  }

  /** Whether nothing can arrive any more. */
  get isOver(): boolean {
    return !this.#channel && (this.#isClosed || typeof this.#source !== 'function');
  }

  open(): void {
    try {
      const channel = typeof this.#source === 'function' ? this.#source() : this.#source;
      this.#channel = channel;
      const stop = channel.listen((message) => {
        if (this.#channel === channel) this.#listener.onMessage(message);
      });
      this.#stopListening = () => callListener(stop, this.#listener.onError);
      const ended = () => this.#ended(channel);
      channel.ended?.then(ended, ended);
    } catch (error) {
      this.#channel = undefined;
      this.#listener.onError(error);
      this.#reopen();
      return;
    }
    this.#listener.onOpen();
  }

  /** The host has answered: the next channel is opened soon after this one ends. */
  answered(): void {
    this.#attempt = 0;
  }

  /** Resolves to the error of the channel, if it has one. */
  async post(message: object): Promise<unknown> {
    try {
      await this.#channel?.post(message);
    } catch (error) {
      this.#listener.onError(error);
      return error;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#channel) this.#stopListening();
    this.#channel = undefined;
  }

  #ended(channel: PanelChannel): void {
    if (this.#channel !== channel) return;
    this.#stopListening();
    this.#channel = undefined;
    this.#listener.onEnd();
    this.#reopen();
  }

  #reopen(): void {
    if (this.#isClosed || typeof this.#source !== 'function') return;
    this.#timer = setTimeout(() => this.open(), backOffMs(this.#attempt++, pauses));
  }
}
