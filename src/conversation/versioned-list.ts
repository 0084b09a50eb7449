import { ChangeLog, type Moment, remember } from './change-log.ts';

/** A state of the list that somebody holds: its array once it was read, or the way back to it from the next one. */
interface Version<T> {
  array: readonly T[] | undefined;
  /** What to put back, last first, to get here from the next version: a place, and what stood there or nothing. */
  undo: (readonly [at: number, item: T | undefined])[];
  next: Version<T> | undefined;
  readonly moment: Moment;
}

/**
 * A list that is changed in place, with every state that was handed out still readable.
 *
 * A copy of the array for each change would make a long list quadratic. So a state is copied only when it is
 * read; until then it is a note of how to undo what came after. Reading the newest costs one copy.
 */
export class VersionedList<T extends object> {
  readonly #items: T[];
  #newest: Version<T> | undefined;
  #log = new ChangeLog();

  constructor(items: readonly T[]) {
    this.#items = [...items];
  }

  get length(): number {
    return this.#items.length;
  }

  at(place: number): T | undefined {
    return this.#items[place];
  }

  append(item: T): number {
    this.#note(this.#items.length, undefined);
    return this.#items.push(item) - 1;
  }

  replace(place: number, item: T): void {
    this.#note(place, this.#items[place]);
    this.#items[place] = item;
  }

  remove(place: number): void {
    if (this.#newest) this.#read(this.#newest);
    this.#newest = undefined;
    // Behind the place every item stands elsewhere now: states before and after are compared as a whole.
    this.#log = new ChangeLog();
    this.#items.splice(place, 1);
  }

  /** A reader of the list as it is now, whatever happens to it later. */
  share(): () => readonly T[] {
    const moment = { log: this.#log, at: this.#log.now };
    const version: Version<T> = { array: undefined, undo: [], next: undefined, moment };
    if (this.#newest) this.#newest.next = version;
    this.#newest = version;
    return () => this.#read(version);
  }

  #note(place: number, item: T | undefined): void {
    this.#log.note(place);
    const newest = this.#newest;
    if (!newest) return;
    newest.undo.push([place, item]);
    // A state that nobody reads must not cost more than its copy would.
    if (newest.undo.length > 2 * this.#items.length + 64) this.#read(newest);
  }

  #read(version: Version<T>): readonly T[] {
    if (version.array) return version.array;
    const back: Version<T>[] = [];
    let from: Version<T> | undefined = version;
    while (from && !from.array) {
      back.push(from);
      from = from.next;
    }
    const array = [...(from?.array ?? this.#items)];
    for (const { undo } of back.reverse()) {
      for (let step = undo.length - 1; step >= 0; step--) {
        const [at, item] = undo[step] as (typeof undo)[number];
        if (item) array[at] = item;
        else array.length = at;
      }
    }
    version.array = Object.freeze(array);
    remember(version.array, version.moment);
    version.undo = [];
    version.next = undefined;
    if (version === this.#newest) this.#newest = undefined;
    return version.array;
  }
}
