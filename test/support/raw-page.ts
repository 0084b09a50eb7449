import { isJsonObject, type JsonObject } from '../../src/json.ts';
import type { PanelChannel } from '../../src/panel/channel.ts';

/** The result of a call, as the host posts it. */
export interface RawResult {
  readonly id: number;
  readonly value: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A page that posts whatever a test wants. What it posts is not copied. */
export class RawPage {
  readonly channel: PanelChannel;
  readonly id = 'raw-page';
  /** What the host posted, as JSON. */
  readonly received: JsonObject[] = [];
  readonly #listeners = new Set<(message: unknown) => void>();
  #count = 0;

  constructor() {
    this.channel = {
      post: (message) => {
        this.received.push(JSON.parse(JSON.stringify(message)));
      },
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

  hello(): void {
    this.post({ panel: 1, page: this.id, type: 'hello', edit: 0 });
  }

  nextId(): number {
    return ++this.#count;
  }

  /** The message of a call. */
  message(action: unknown, params: unknown, fields: object = {}) {
    return { panel: 1, page: this.id, type: 'call', id: this.nextId(), action, params, ...fields };
  }

  /** Calls an action. Resolves when the host has posted its result. */
  async call(action: unknown, params: unknown = {}): Promise<RawResult> {
    const message = this.message(action, params);
    this.post(message);
    return this.result(message.id);
  }

  async result(id: number): Promise<RawResult> {
    for (let turn = 0; turn < 2000; turn++) {
      const found = this.received.find((message) => message['type'] === 'result' && message['id'] === id);
      if (found) return found as unknown as RawResult;
      await new Promise(setImmediate);
    }
    throw new Error(`The host did not post the result of call ${id}.`);
  }

  /** The last state that the host posted. */
  state(): JsonObject {
    const state = this.received.findLast(({ type }) => type === 'state')?.['state'];
    return isJsonObject(state) ? state : {};
  }
}
