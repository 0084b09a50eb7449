import type { Conversation, Entry, MessageEntry, Terminal, ToolCallEntry } from '../model/conversation.ts';

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
 * The entries that are new or different, in the order of the transcript; told by identity, so that 100,000 entries
 * take a fraction of a millisecond. Those that went are in `previous` alone.
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
  const changed: Entry[] = [];
  if (before === next.entries) return changed;
  let place = 0;
  // A loop: on a frozen array `filter` takes several times as long.
  for (const entry of next.entries) if (entry !== before[place++]) changed.push(entry);
  return changed;
}
