import type { Entry } from '../model/conversation.ts';
import { ChangeLog, type Moment, remember } from './change-log.ts';
import { EntryIndex } from './entry-index.ts';
import { freeze } from './equal.ts';

/** A state of the list that somebody holds: its array once it was read, or the way back to it from the next one. */
interface Version {
  array: readonly Entry[] | undefined;
  /** What to put back, last first, to get here from the next version: a place, and what stood there or nothing. */
  undo: (readonly [at: number, entry: Entry | undefined])[];
  next: Version | undefined;
  readonly moment: Moment;
}

/**
 * The entries, changed in place, with every state that was handed out still readable.
 *
 * A copy of the array for each update would make a long transcript quadratic. So a state is copied only when it is
 * read; until then it is a note of how to undo what came after. Reading the newest costs one copy.
 */
export class EntryList {
  readonly #entries: Entry[];
  /** Where each stands. */
  readonly index = new EntryIndex();
  #newest: Version | undefined;
  #log = new ChangeLog();
  /** The entry that was touched last: it changes again, mostly, before anybody sees it, and is frozen when it is done. */
  #warm = -1;

  constructor(entries: readonly Entry[]) {
    this.#entries = [...entries];
    this.#indexAll();
  }

  get length(): number {
    return this.#entries.length;
  }

  at(place: number): Entry | undefined {
    return this.#entries[place];
  }

  append(entry: Entry): number {
    const place = this.#entries.length;
    this.#touch(place);
    this.#note(place, undefined);
    this.#entries.push(entry);
    this.index.add(entry, place);
    return place;
  }

  replace(place: number, entry: Entry): void {
    this.#touch(place);
    const before = this.#entries[place];
    this.#note(place, before);
    this.#entries[place] = entry;
    this.index.replace(before, entry, place);
  }

  remove(place: number): void {
    this.#touch(-1);
    if (this.#newest) this.#read(this.#newest);
    this.#newest = undefined;
    // Behind the place every entry stands elsewhere now: states before and after are compared as a whole.
    this.#log = new ChangeLog();
    this.#entries.splice(place, 1);
    this.index.clear();
    this.#indexAll();
  }

  /** A reader of the list as it is now, whatever happens to it later. */
  share(): () => readonly Entry[] {
    this.#touch(-1);
    const moment = { log: this.#log, at: this.#log.now };
    const version: Version = { array: undefined, undo: [], next: undefined, moment };
    if (this.#newest) this.#newest.next = version;
    this.#newest = version;
    return () => this.#read(version);
  }

  #touch(place: number): void {
    if (place === this.#warm) return;
    freeze(this.#entries[this.#warm]);
    this.#warm = place;
  }

  #note(place: number, entry: Entry | undefined): void {
    this.#log.note(place);
    const newest = this.#newest;
    if (!newest) return;
    newest.undo.push([place, entry]);
    // A state that nobody reads must not cost more than its copy would.
    if (newest.undo.length > 2 * this.#entries.length + 64) this.#read(newest);
  }

  #read(version: Version): readonly Entry[] {
    if (version.array) return version.array;
    const back: Version[] = [];
    let from: Version | undefined = version;
    while (from && !from.array) {
      back.push(from);
      from = from.next;
    }
    const array = [...(from?.array ?? this.#entries)];
    for (const { undo } of back.reverse()) {
      for (let step = undo.length - 1; step >= 0; step--) {
        const [at, entry] = undo[step] as (typeof undo)[number];
        if (entry) array[at] = entry;
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

  #indexAll(): void {
    this.#entries.forEach((entry, place) => {
      this.index.add(entry, place);
    });
  }
}
