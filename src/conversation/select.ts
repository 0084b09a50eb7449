import type { Conversation, Entry, MessageEntry, Terminal, ToolCallEntry } from '../model/conversation.ts';
import { changedPlaces } from './change-log.ts';

/** The text of a message: its text blocks, joined as they stand. */
export function textOf(entry: MessageEntry): string {
  return entry.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/**
 * The tool call with this id, if there is one. Looks through the whole transcript.
 *
 * @example
 * ```ts
 * const title = toolCall(conversation, 'call-1')?.title;
 * ```
 */
export function toolCall(conversation: Conversation, toolCallId: string): ToolCallEntry | undefined {
  return conversation.entries.find(
    (entry): entry is ToolCallEntry => entry.kind === 'toolCall' && entry.toolCallId === toolCallId,
  );
}

/** The bytes that a terminal printed, less `droppedBytes` from the front. */
export function terminalBytes(terminal: Terminal): Uint8Array {
  return Uint8Array.from(terminal.bytes, (char) => char.charCodeAt(0));
}

/**
 * What a terminal printed, read as UTF-8, with U+FFFD for what is none. Escape sequences and all: strip or interpret
 * those before you show it.
 */
export function terminalText(terminal: Terminal): string {
  return new TextDecoder().decode(terminalBytes(terminal));
}

/**
 * The entries that are new or different, in the order of the transcript. Of two states of one store, not too far
 * apart, it is known where they differ, however long the transcript; otherwise all entries are compared by
 * identity. Those that went are in `previous` alone.
 *
 * @example
 * ```ts
 * const previous = shown;
 * shown = store.getSnapshot();
 * for (const entry of changedEntries(previous, shown)) draw(entry);
 * ```
 */
export function changedEntries(previous: Conversation, next: Conversation): Entry[] {
  const before = previous.entries;
  const after = next.entries;
  const changed: Entry[] = [];
  if (before === after) return changed;
  const look = (place: number) => {
    const entry = after[place];
    if (entry && entry !== before[place]) changed.push(entry);
  };
  const places = changedPlaces(before, after);
  if (places) for (const place of places) look(place);
  // By index: on a frozen array every other way takes several times as long.
  else for (let place = 0; place < after.length; place++) look(place);
  return changed;
}
