import type { ConversationEntry, MessageEntry } from '../model/conversation.ts';

/** A namespace of ids. Some agents use one id for a thought and its answer, so each role is a namespace. */
export type IdSpace = MessageEntry['role'] | 'session' | 'tool' | 'compaction';

/** The id that the agent gave an entry. */
export interface EntryId {
  readonly space: IdSpace;
  readonly id: string;
}

const ids: {
  readonly [K in ConversationEntry['kind']]: (
    entry: Extract<ConversationEntry, { kind: K }>,
  ) => EntryId | null;
} = {
  message: ({ role, messageId }) => (messageId === null ? null : { space: role, id: messageId }),
  sessionMessage: ({ messageId }) => ({ space: 'session', id: messageId }),
  toolCall: ({ toolCallId }) => ({ space: 'tool', id: toolCallId }),
  compaction: ({ compactionId }) => ({ space: 'compaction', id: compactionId }),
  turnFailure: () => null,
  unknown: () => null,
};

/** What identifies an entry in every replay; `null` if the agent gave it no id. */
export function idOf(entry: ConversationEntry): EntryId | null {
  // The function is for entries of this kind. A conversation of a later version can have other kinds.
  const find = ids[entry.kind] as ((entry: ConversationEntry) => EntryId | null) | undefined;
  return find?.(entry) ?? null;
}

/** Finds the index of an entry by the id or key that updates refer to. */
export class EntryIndex {
  readonly #byId: Readonly<Record<IdSpace, Map<string, number>>> = {
    user: new Map(),
    agent: new Map(),
    thought: new Map(),
    session: new Map(),
    tool: new Map(),
    compaction: new Map(),
  };
  /** Indexes by key, for keys that are not derived from an id. */
  readonly #byKey = new Map<string, number>();
  /** Keys of local prompts without an id, oldest first. */
  readonly #unconfirmed = new Set<string>();

  /** Index of the entry with this id. */
  findId(space: IdSpace, id: string): number | undefined {
    return this.#byId[space].get(id);
  }

  /** Index of the entry with this key, if the entry has no id or had none when it was added. */
  findKey(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  /** Index of the oldest local prompt that the agent has neither confirmed nor given an id. */
  findUnconfirmed(): number | undefined {
    for (const key of this.#unconfirmed) return this.#byKey.get(key);
    return undefined;
  }

  add(entry: ConversationEntry, index: number): void {
    if (entry.kind === 'message') return this.#addMessage(entry, index);
    const known = idOf(entry);
    if (known) this.#byId[known.space].set(known.id, index);
    else this.#byKey.set(entry.key, index);
  }

  /** Updates the index after `entry` replaced `before`. */
  replace(before: ConversationEntry | undefined, entry: ConversationEntry, index: number): void {
    if (before && hasSameIds(before, entry)) return;
    const known = before && idOf(before);
    if (known) this.#byId[known.space].delete(known.id);
    this.add(entry, index);
  }

  clear(): void {
    for (const indexes of Object.values(this.#byId)) indexes.clear();
    this.#byKey.clear();
    this.#unconfirmed.clear();
  }

  #addMessage({ key, role, messageId, origin }: MessageEntry, index: number): void {
    if (messageId !== null) this.#byId[role].set(messageId, index);
    if (messageId === null || !isKeyOf(key, role, messageId)) this.#byKey.set(key, index);
    if (messageId === null && origin === 'local') this.#unconfirmed.add(key);
    else if (this.#unconfirmed.size > 0) this.#unconfirmed.delete(key);
  }
}

/** The key of an entry that starts with an id. */
export function keyOf(space: IdSpace, id: string): string {
  return `${space}:${id}`;
}

/** Whether `key` equals `keyOf(space, id)`. Allocates no string, because it runs for each entry. */
function isKeyOf(key: string, space: IdSpace, id: string): boolean {
  return key.length === space.length + 1 + id.length && key.startsWith(`${space}:`) && key.endsWith(id);
}

function hasSameIds(before: ConversationEntry, after: ConversationEntry): boolean {
  if (before.key !== after.key) return false;
  if (before.kind !== 'message' || after.kind !== 'message') return before.kind === after.kind;
  return before.messageId === after.messageId && before.role === after.role && before.origin === after.origin;
}
