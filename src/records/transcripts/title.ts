import { printable } from '../../core/base/printable.ts';
import { textOf } from '../../core/conversation/select.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/** How much of a prompt is looked at: it can be a whole file. */
const maxSearched = 10_000;

/**
 * The first line of the first prompt that has one, for a title. `null` if there is none.
 *
 * @param maxLength - The maximum length, in characters.
 */
export function firstLineOf({ entries }: Pick<Conversation, 'entries'>, maxLength: number): string | null {
  for (const entry of entries) {
    if (entry.kind !== 'message' || entry.role !== 'user') continue;
    const [line = ''] = printable(textOf(entry).slice(0, maxSearched)).trim().split('\n', 1);
    if (line === '') continue;
    // A character has two code units at most.
    const characters = Array.from(line.trimEnd().slice(0, 2 * maxLength + 2));
    return characters.length > maxLength
      ? `${characters.slice(0, maxLength - 1).join('')}…`
      : characters.join('');
  }
  return null;
}
