import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { isToolCallFinished } from '../../core/model/tool-call.ts';

/** The entries that the conversation had when the turn began. Few turns change one of them. */
export class EarlierEntries {
  readonly conversation: Conversation | undefined;
  #byKey: Map<string, ConversationEntry> | undefined;
  #byTerminal: ReadonlyMap<string, readonly string[]> | undefined;

  /** @param conversation - `undefined` if it is not known. */
  constructor(conversation: Conversation | undefined) {
    this.conversation = conversation;
  }

  /** The entry with this key, if it is of this kind. */
  find<K extends ConversationEntry['kind']>(
    key: string,
    kind: K,
  ): Extract<ConversationEntry, { readonly kind: K }> | undefined {
    const entry = this.#entries().get(key);
    // The compiler does not narrow by a type parameter.
    return entry?.kind === kind ? (entry as Extract<ConversationEntry, { readonly kind: K }>) : undefined;
  }

  /** The entry was removed. Another one can have its key. */
  forget(key: string): void {
    this.#entries().delete(key);
  }

  #entries(): Map<string, ConversationEntry> {
    this.#byKey ??= new Map(this.conversation?.entries.map((entry) => [entry.key, entry]));
    return this.#byKey;
  }

  /** The keys of the tool calls that had not ended while a turn ran: the reader has no result of them. */
  unfinished(): readonly string[] {
    if (!this.conversation || this.conversation.activity.state === 'idle') return [];
    return this.conversation.entries.flatMap((entry) =>
      entry.kind === 'toolCall' && !isToolCallFinished(entry.status) ? [entry.key] : [],
    );
  }

  /** The keys of the tool calls that show a terminal. */
  toolCallsWith(terminalId: string): readonly string[] {
    this.#byTerminal ??= toolCallsByTerminal(this.conversation?.entries ?? []);
    return this.#byTerminal.get(terminalId) ?? [];
  }
}

function toolCallsByTerminal(entries: readonly ConversationEntry[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.kind !== 'toolCall') continue;
    for (const item of entry.content) {
      if (item.type !== 'terminal') continue;
      keys.set(item.terminalId, [...(keys.get(item.terminalId) ?? []), entry.key]);
    }
  }
  return keys;
}
