import { textOf } from '../../core/conversation/select.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/** How long a title from a prompt is, in characters. */
const maxTitleLength = 100;

/** The agent's title, or the first line of the first prompt. `null` if there is neither. */
export function titleOf({ info, entries }: Conversation): string | null {
  if (info.title) return info.title;
  for (const entry of entries) {
    if (entry.kind !== 'message' || entry.role !== 'user') continue;
    const line = textOf(entry).trim().split('\n', 1)[0] ?? '';
    if (line === '') continue;
    const characters = Array.from(line.slice(0, 2 * maxTitleLength));
    const isLong = line.length > maxTitleLength && characters.length > maxTitleLength;
    return isLong ? `${characters.slice(0, maxTitleLength - 1).join('')}…` : line;
  }
  return null;
}
