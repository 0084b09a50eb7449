import { printable } from '../base/printable.ts';

/** A text of the agent in VS Code's own surface: in one line, and without icons, which VS Code draws for `$(name)`. */
export function label(text: string): string {
  return printable(text).replace(/\s+/g, ' ').replaceAll('$(', '$ (').trim();
}
