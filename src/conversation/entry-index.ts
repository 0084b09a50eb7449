import type { Entry, MessageEntry } from '../model/conversation.ts';

/** Whose ids they are. Agents in the field give a thought and its answer one id, so each role has its own. */
export type IdSpace = MessageEntry['role'] | 'tool' | 'compaction';

/** Where entries stand, by what updates name them with. */
export class EntryIndex {
  readonly #byId: Readonly<Record<IdSpace, Map<string, number>>> = {
    user: new Map(),
    agent: new Map(),
    thought: new Map(),
    tool: new Map(),
    compaction: new Map(),
  };
  /** The keys that do not follow from an id. */
  readonly #byKey = new Map<string, number>();
  /** The keys of the prompts that wait for their confirmation and have no id yet, oldest first. */
  readonly #unconfirmed = new Set<string>();

  /** Where the entry with this id stands. */
  findId(space: IdSpace, id: string): number | undefined {
    return this.#byId[space].get(id);
  }

  /** Where the entry with this key stands, if it has no id or had none when it began. */
  findKey(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  /** Where the oldest prompt of ours stands that the agent has not confirmed, nor named. */
  findUnconfirmed(): number | undefined {
    for (const key of this.#unconfirmed) return this.#byKey.get(key);
    return undefined;
  }

  add(entry: Entry, place: number): void {
    if (entry.kind === 'toolCall') this.#byId.tool.set(entry.toolCallId, place);
    else if (entry.kind === 'compaction') this.#byId.compaction.set(entry.compactionId, place);
    else if (entry.kind === 'message') this.#addMessage(entry, place);
    else this.#byKey.set(entry.key, place);
  }

  /** Takes note that an entry stands where another stood. */
  replace(before: Entry | undefined, entry: Entry, place: number): void {
    if (!before || !isFoundAs(before, entry)) this.add(entry, place);
  }

  clear(): void {
    for (const places of Object.values(this.#byId)) places.clear();
    this.#byKey.clear();
    this.#unconfirmed.clear();
  }

  #addMessage({ key, role, messageId, origin }: MessageEntry, place: number): void {
    if (messageId !== null) this.#byId[role].set(messageId, place);
    if (messageId === null || !isKeyOf(key, role, messageId)) this.#byKey.set(key, place);
    if (messageId === null && origin === 'local') this.#unconfirmed.add(key);
    else this.#unconfirmed.delete(key);
  }
}

/** The key of an entry that begins with an id. */
export function keyOf(space: IdSpace, id: string): string {
  return `${space}:${id}`;
}

/** Whether `key` is {@link keyOf} them, without another string for each of many entries. */
function isKeyOf(key: string, space: IdSpace, id: string): boolean {
  return key.length === space.length + 1 + id.length && key.startsWith(`${space}:`) && key.endsWith(id);
}

function isFoundAs(before: Entry, after: Entry): boolean {
  if (before.key !== after.key) return false;
  if (before.kind !== 'message' || after.kind !== 'message') return before.kind === after.kind;
  return before.messageId === after.messageId && before.role === after.role && before.origin === after.origin;
}
