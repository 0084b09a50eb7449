import { ListenerSet } from '../../../core/base/listeners.ts';
import type { ConversationChange, TimelineItem, TimelineLine } from './items.ts';
import { shallow } from './shallow.ts';

/** The lines of a timeline, which can grow. Each reader has its own place in the same list, and no queue. */
export class GrowingTimeline {
  readonly title: string;
  readonly isLive: boolean;
  readonly #lines: TimelineLine[];
  readonly #grown = new ListenerSet<[]>(() => {});
  #itemCount: number;

  /** @param kind - `live`: it grows. `complete`: it has all its lines when it is shown. */
  constructor(title: string, lines: readonly TimelineLine[], kind: 'live' | 'complete') {
    this.title = title;
    this.isLive = kind === 'live';
    this.#lines = [...lines];
    this.#itemCount = lines.filter((line) => 'item' in line).length;
  }

  get lines(): readonly TimelineLine[] {
    return this.#lines;
  }

  get itemCount(): number {
    return this.#itemCount;
  }

  /** Adds an item, and returns its index. */
  add(item: TimelineItem): number {
    const index = this.#itemCount++;
    this.#push({ item });
    return index;
  }

  /** Adds what an item changed. */
  addChanges(index: number, changes: readonly ConversationChange[]): void {
    if (changes.length > 0) this.#push({ index, changes });
  }

  /** Calls `listener` after each line that is added. Returns the function that removes it. */
  onGrown(listener: () => void): () => void {
    return this.#grown.add(listener);
  }

  #push(line: TimelineLine): void {
    this.#lines.push(shallow(line));
    this.#grown.notify();
  }
}
