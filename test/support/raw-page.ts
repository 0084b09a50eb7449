import { isJsonObject, type JsonObject } from '../../src/core/base/json.ts';
import type { PanelChannel } from '../../src/ui/panel/channel.ts';
import { panelVersion } from '../../src/ui/panel/messages.ts';

/** The result of a call, as the host posts it. */
export interface RawResult {
  readonly number: number;
  readonly value: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A message of the page `p1`, which knows no host: it asks for everything. */
export const firstMessage = {
  panel: panelVersion,
  page: 'p1',
  run: null,
  type: 'hello',
  asked: 1,
  have: 0,
  drawn: 0,
  sent: 0,
};

/** The run that a host has chosen for a page, from what the page received as text. */
export function runIn(received: string): string {
  return /"run":"([^"]+)"/.exec(received)?.[1] ?? '';
}

/** A call of the page `p1`, which has as many changes as it has sent calls. */
export function callOfPage(received: string, number: number, action: string, params: object) {
  const { asked: _, ...ends } = firstMessage;
  return { ...ends, run: runIn(received), have: number, drawn: number, type: 'call', number, action, params };
}

/** A page that posts whatever a test wants. What it posts is not copied. */
export class RawPage {
  readonly channel: PanelChannel;
  readonly id = 'raw-page';
  /** What the host posted, as JSON. */
  readonly received: JsonObject[] = [];
  /** The results that came, by the number of their call. */
  readonly results = new Map<number, RawResult>();
  readonly #listeners = new Set<(message: unknown) => void>();
  #run: string | null = null;
  #have = 0;
  #taken = 0;

  constructor() {
    this.channel = {
      post: (message) => this.#receive(JSON.parse(JSON.stringify(message))),
      listen: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener) && undefined;
      },
    };
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  /** Delivers a message to the host. Throws if a listener of the host throws. */
  post(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }

  /** A message with what each message of a page has. */
  from(body: object) {
    const ends = { panel: panelVersion, page: this.id, run: this.#run };
    return { ...ends, have: this.#have, drawn: this.#have, sent: this.#taken, ...body };
  }

  /** Asks for everything, as a page that was just loaded. */
  hello(): void {
    this.post(this.from({ type: 'hello', asked: 1, run: null, have: 0 }));
  }

  /** The number of the next call that the host takes. */
  get next(): number {
    return this.#taken + 1;
  }

  /** The message of a call, with the next number. */
  message(action: unknown, params: unknown, fields: object = {}) {
    return { ...this.from({ type: 'call', action, params }), number: this.next, ...fields };
  }

  /** Calls an action that the host takes. */
  open(action: string, params: object): void {
    const message = this.message(action, params);
    this.#taken++;
    this.post(message);
  }

  /** Sends a draft that the host takes. */
  draft(text: string): void {
    const number = this.next;
    this.#taken++;
    this.post(this.from({ type: 'draft', text, number }));
  }

  /** Calls an action. Resolves when the host has posted its result. */
  async call(action: unknown, params: unknown = {}): Promise<RawResult> {
    const message = this.message(action, params);
    this.#taken++;
    this.post(message);
    return this.result(this.#taken);
  }

  async result(number: number): Promise<RawResult> {
    for (let turn = 0; turn < 2000; turn++) {
      const found = this.results.get(number);
      if (found) return found;
      await new Promise(setImmediate);
    }
    throw new Error(`The host did not post the result of call ${number}.`);
  }

  #receive(message: JsonObject): void {
    this.received.push(message);
    if (message['type'] !== 'change') return;
    this.#run = String(message['run']);
    this.#have = Number(message['number']);
    // The host posts the results of calls in this form.
    for (const result of message['results'] as unknown as RawResult[]) {
      this.results.set(result.number, result);
      this.#taken = Math.max(this.#taken, result.number);
    }
    // As through a channel: later.
    queueMicrotask(() => this.post(this.from({ type: 'have' })));
  }

  /** The last state that the host posted. */
  state(): JsonObject {
    const state = this.received.findLast((message) => isJsonObject(message['state']))?.['state'];
    return isJsonObject(state) ? state : {};
  }
}
