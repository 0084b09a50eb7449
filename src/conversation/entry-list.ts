import type { Entry } from '../model/conversation.ts';
import { EntryIndex } from './entry-index.ts';
import { freeze } from './equal.ts';
import { VersionedList } from './versioned-list.ts';

/** The entries, and where each stands. */
export class EntryList {
  readonly #entries: VersionedList<Entry>;
  readonly index = new EntryIndex();
  /** The entry that was touched last: it changes again, mostly, before anybody sees it, and is frozen when it is done. */
  #warm = -1;

  constructor(entries: readonly Entry[]) {
    this.#entries = new VersionedList(entries);
    this.#indexAll();
  }

  get length(): number {
    return this.#entries.length;
  }

  at(place: number): Entry | undefined {
    return this.#entries.at(place);
  }

  append(entry: Entry): number {
    const place = this.#entries.append(entry);
    this.#touch(place);
    this.index.add(entry, place);
    return place;
  }

  replace(place: number, entry: Entry): void {
    this.#touch(place);
    const before = this.#entries.at(place);
    this.#entries.replace(place, entry);
    this.index.replace(before, entry, place);
  }

  remove(place: number): void {
    this.#touch(-1);
    this.#entries.remove(place);
    this.index.clear();
    this.#indexAll();
  }

  /** A reader of the entries as they are now, whatever happens to them later. */
  share(): () => readonly Entry[] {
    this.#touch(-1);
    return this.#entries.share();
  }

  #touch(place: number): void {
    if (place === this.#warm) return;
    freeze(this.#entries.at(this.#warm));
    this.#warm = place;
  }

  #indexAll(): void {
    for (let place = 0; place < this.#entries.length; place++) {
      this.index.add(this.#entries.at(place) as Entry, place);
    }
  }
}
