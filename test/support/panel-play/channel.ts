import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import type { Direction, Fate } from './steps.ts';

/** What one direction of the channel has. */
interface Lane {
  readonly listeners: Set<(message: unknown) => void>;
  /** What becomes of the next messages. */
  fates: Fate[];
  /** The messages that come later. */
  held: unknown[];
  posted: number;
}

const lane = (): Lane => ({ listeners: new Set(), fates: [], held: [], posted: 0 });

/** A channel that loses, repeats and reorders messages as a script says. */
export class BadChannel {
  readonly #lanes: Record<Direction, Lane> = { 'to page': lane(), 'to host': lane() };

  /** How many messages were posted, in both directions. */
  get posted(): number {
    return this.#lanes['to page'].posted + this.#lanes['to host'].posted;
  }

  /** The host's end. After `cut` it neither sends nor receives, as that of a program that was killed. */
  hostEnd(): { readonly channel: PanelChannel; readonly cut: () => void } {
    const end = this.#end('to page', 'to host');
    let stop = () => {};
    let isCut = false;
    const channel: PanelChannel = {
      post: (message) => (isCut ? undefined : end.post(message)),
      listen: (listener) => {
        stop = end.listen(listener);
        return stop;
      },
    };
    const cut = () => {
      isCut = true;
      stop();
    };
    return { channel, cut };
  }

  pageEnd(): PanelChannel {
    return this.#end('to host', 'to page');
  }

  setFates(direction: Direction, fates: readonly Fate[]): void {
    this.#lanes[direction].fates = [...fates];
  }

  /** Delivers what comes later, the newest first. */
  deliverLate(): void {
    for (const each of Object.values(this.#lanes)) {
      for (const message of each.held.splice(0).reverse()) this.#deliver(each, message);
    }
  }

  /** From now on each message arrives. */
  repair(): void {
    for (const each of Object.values(this.#lanes)) each.fates = [];
    this.deliverLate();
  }

  #end(to: Direction, from: Direction): PanelChannel {
    return {
      post: (message) => this.#post(this.#lanes[to], structuredClone(message)),
      listen: (listener) => {
        const { listeners } = this.#lanes[from];
        const entry = (message: unknown) => listener(message);
        listeners.add(entry);
        return () => listeners.delete(entry) && undefined;
      },
    };
  }

  #post(to: Lane, message: unknown): unknown {
    to.posted++;
    const fate = to.fates.shift() ?? 'arrives';
    if (fate === 'throws') throw new Error('The channel is broken.');
    if (fate === 'rejects') return Promise.reject(new Error('The channel is broken.'));
    if (fate === 'comes later' || fate === 'comes later too') to.held.push(message);
    if (fate === 'arrives' || fate === 'comes twice' || fate === 'comes later too')
      this.#deliver(to, message);
    if (fate === 'comes twice') this.#deliver(to, message);
    return undefined;
  }

  #deliver({ listeners }: Lane, message: unknown): void {
    setImmediate(() => {
      for (const listener of [...listeners]) listener(message);
    });
  }
}
