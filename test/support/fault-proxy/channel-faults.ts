import { idOf } from '../../../src/transport/http/routes.ts';

/** How long a delayed message waits, in milliseconds. */
export const delayMs = 50;

/** One message on its way, as the bytes that the channel carries. */
export interface PassingMessage {
  readonly bytes: Uint8Array;
  /** Passes bytes on, after what waits before them. */
  write(bytes: Uint8Array): void;
  /** Lets nothing pass in this direction until the promise has settled. */
  hold(until: Promise<unknown>): void;
  /** Breaks the channel, when everything that was written has gone. */
  breakOff(): void;
}

/** What can happen to one message of a channel that has an order. */
export const channelFaults = {
  'is lost, and the channel breaks': (message) => message.breakOff(),
  'arrives, and the channel breaks': (message) => {
    message.write(message.bytes);
    message.breakOff();
  },
  'is cut in the middle, and the channel breaks': (message) => {
    message.write(message.bytes.subarray(0, Math.floor(message.bytes.length / 2)));
    message.breakOff();
  },
  'is delayed': (message) => {
    message.hold(new Promise((done) => setTimeout(done, delayMs)));
    message.write(message.bytes);
  },
  'comes byte by byte': (message) => {
    for (let at = 0; at < message.bytes.length; at++) {
      message.write(message.bytes.subarray(at, at + 1));
      if (at % 16 === 0) message.hold(new Promise(setImmediate));
    }
  },
  // Only an answer or a request: what the agent says has no number, and twice is then what it said.
  'comes twice': (message) => {
    message.write(message.bytes);
    message.write(message.bytes);
  },
} satisfies Record<string, (message: PassingMessage) => void>;

export type ChannelFaultName = keyof typeof channelFaults;

/** The directions of a channel. */
export const directions = ['to the client', 'to the agent'] as const;
export type Direction = (typeof directions)[number];

/** What goes wrong, once: with message number `at` of a direction, from 0. */
export interface ChannelFault {
  readonly direction: Direction;
  readonly at: number;
  readonly name: ChannelFaultName;
}

/** What has passed without a fault. */
export interface Passed {
  /** How many messages, by where they can go wrong. */
  readonly counts: Readonly<Record<string, number>>;
  /** The messages to the client with an id: its answers, and the agent's requests. */
  readonly identified: readonly number[];
}

/** Whether a message to the client has an id. Only its text has braces. */
export function hasId(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  return idOf(JSON.parse(text.slice(text.indexOf('{')))) !== undefined;
}

/** Counts the messages of all connections of a case, and lets the fault happen to one of them. */
export class ChannelFaults implements Passed {
  readonly counts: Record<Direction, number> = { 'to the client': 0, 'to the agent': 0 };
  readonly identified: number[] = [];
  readonly #fault: ChannelFault | undefined;
  readonly #onFault: () => void;

  /** @param onFault - Called when the fault happens, before it does. */
  constructor(fault: ChannelFault | undefined, onFault: () => void = () => {}) {
    this.#fault = fault;
    this.#onFault = onFault;
  }

  pass(direction: Direction, message: PassingMessage): void {
    const at = this.counts[direction]++;
    if (direction === 'to the client' && hasId(message.bytes)) this.identified.push(at);
    const fault = this.#fault;
    if (fault?.direction !== direction || fault.at !== at) return message.write(message.bytes);
    this.#onFault();
    channelFaults[fault.name](message);
  }
}

/** Does one thing after the other. */
export class Row {
  #last: Promise<unknown> = Promise.resolve();

  add(action: () => unknown): void {
    const next = this.#last.then(action).catch(() => {});
    this.#last = next;
  }
}
