import { clean } from '../../render/clean.ts';
import { openFence } from '../../render/content-parts.ts';

/** A place in Markdown before which nothing can change any more. */
export interface SettledPlace {
  /** The index of the line that begins there. */
  readonly at: number;
  /** The opening fence of the code that the line is in; empty if it is not in code. */
  readonly fence: string;
}

/**
 * Finds the last line of Markdown that can be rendered without what is before it. Each line is read once, when it is
 * complete.
 */
export class SettledLines {
  #read = 0;
  #fence = '';
  /** Whether the paragraphs, or the code, that the next line continues have a line that is not blank. */
  #hasText = false;
  #place: SettledPlace | undefined;

  /** The last place in the text, which continues the one before; `undefined` if there is none beside its start. */
  read(text: string): SettledPlace | undefined {
    for (let end = text.indexOf('\n', this.#read); end !== -1; end = text.indexOf('\n', this.#read)) {
      this.#take(this.#read, clean(text.slice(this.#read, end)).split('\n'));
      this.#read = end + 1;
    }
    return this.#place;
  }

  /** Reads another text, which begins at a place; without one, it is a whole text. */
  restart(place?: SettledPlace): void {
    this.#read = 0;
    this.#fence = place?.fence ?? '';
    this.#hasText = false;
    this.#place = undefined;
  }

  /** @param lines - A line of the text, in which line separators can begin further lines. */
  #take(at: number, lines: readonly string[]): void {
    const fence = this.#fence;
    for (const [index, line] of lines.entries()) {
      const after = openFence(line, this.#fence);
      if (after !== this.#fence) this.#hasText = false;
      else if (line.trim() !== '') {
        // White space at the start of paragraphs is removed.
        const isFree = fence !== '' || /^\S/.test(line);
        if (index === 0 && this.#hasText && isFree) this.#place = { at, fence };
        this.#hasText = true;
      }
      this.#fence = after;
    }
  }
}
