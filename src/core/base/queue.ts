/** How many places of taken items a queue keeps. */
const maxTakenPlaces = 64;

/** Items in the order in which they were added. Shifting an array for each item would be quadratic. */
export class Queue<T extends object | string> {
  #items: (T | undefined)[] = [];
  #next = 0;

  add(item: T): void {
    this.#items.push(item);
  }

  /** Removes the oldest item and returns it; `undefined` if there is none. */
  take(): T | undefined {
    const item = this.#items[this.#next];
    if (item === undefined) return undefined;
    // Frees the item before its place.
    this.#items[this.#next++] = undefined;
    if (this.#next > maxTakenPlaces && this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#next = 0;
  }
}
