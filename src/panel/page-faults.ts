import { errorMessage } from '../base/diagnostic.ts';
import { shortened } from '../base/printable.ts';

/** How many different errors of listeners the host learns of, and how long their texts may be, in characters. */
const maxFaults = 20;
const maxTextLength = 1000;
const maxStackLength = 4000;

/** The errors of the listeners of a page: the host learns of each text once. */
export class PageFaults {
  readonly #known = new Set<string>();

  /** The message for the host. `undefined` if the host knows the error, or enough of others. */
  take(error: unknown): object | undefined {
    const text = shortened(errorMessage(error), maxTextLength);
    if (this.#known.has(text) || this.#known.size >= maxFaults) return undefined;
    this.#known.add(text);
    const stack: unknown = Reflect.get(Object(error), 'stack');
    return {
      type: 'fault',
      text,
      detail: typeof stack === 'string' ? shortened(stack, maxStackLength) : null,
    };
  }
}
