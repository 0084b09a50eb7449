/** How many changes are remembered. Who looks less often than that compares the whole. */
const maxChanges = 4096;

/** Where items of a list changed, in the order in which they did, so that a reader need not look for it. */
export class ChangeLog {
  /** How many changes came before the first that is remembered. */
  #forgotten = 0;
  #places: number[] = [];

  /** How many changes there were: what stands after it in the log came later. */
  get now(): number {
    return this.#forgotten + this.#places.length;
  }

  note(place: number): void {
    if (this.#places.length === maxChanges) {
      this.#places = this.#places.slice(maxChanges / 2);
      this.#forgotten += maxChanges / 2;
    }
    this.#places.push(place);
  }

  /** The places that changed between two moments, each once and in order; nothing if that is forgotten. */
  between(from: number, to: number): readonly number[] | undefined {
    if (from < this.#forgotten) return undefined;
    const places = this.#places.slice(from - this.#forgotten, to - this.#forgotten);
    return [...new Set(places)].sort((a, b) => a - b);
  }
}

/** A state of a list: after so many of the changes in its log. */
export interface Moment {
  readonly log: ChangeLog;
  readonly at: number;
}

const moments = new WeakMap<readonly object[], Moment>();

/** Remembers that `items` was the state at that moment. */
export function remember(items: readonly object[], moment: Moment): void {
  moments.set(items, moment);
}

/** The places where `next` may differ from `previous`, in order; nothing if it is not a later state of the same. */
export function changedPlaces(
  previous: readonly object[],
  next: readonly object[],
): readonly number[] | undefined {
  const from = moments.get(previous);
  const to = moments.get(next);
  return from && from.log === to?.log && from.at <= to.at ? to.log.between(from.at, to.at) : undefined;
}
