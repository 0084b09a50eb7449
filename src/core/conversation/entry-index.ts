import type { ConversationEntry, MessageEntry } from '../model/conversation.ts';
import { isQuestion } from './steered.ts';

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

/** The terminals that an entry shows. */
export function terminalIdsOf(entry: ConversationEntry | undefined): readonly string[] {
  if (entry?.kind !== 'toolCall') return [];
  return entry.content.flatMap((content) => (content.type === 'terminal' ? [content.terminalId] : []));
}

/** Finds the index of an entry by the id or key that updates refer to. */
export class EntryIndex {
  readonly #byId: { [S in IdSpace]?: Map<string, number> } = {};
  /** Indexes of the tool calls whose id came more than once, by their id, oldest first. */
  readonly #repeatedCalls = new Map<string, number[]>();
  /** Indexes by key, for keys that are not derived from an id. */
  readonly #byKey = new Map<string, number>();
  /** Keys of local prompts without an id, oldest first. */
  readonly #unconfirmed = new Set<string>();
  /** Index of the last message of the user that begins a turn. */
  lastQuestion = -1;

  /** Index of the entry with this id: the newest one, where several tool calls have one id. */
  findId(space: IdSpace, id: string): number | undefined {
    return this.#byId[space]?.get(id);
  }

  /** Indexes of the tool calls with this id, oldest first. None if the id came once. */
  repeatedCalls(toolCallId: string): readonly number[] {
    return this.#repeatedCalls.get(toolCallId) ?? [];
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
    const known = idOf(entry);
    if (known) {
      const ids = this.#byId[known.space] ?? new Map<string, number>();
      const before = known.space === 'tool' ? ids.get(known.id) : undefined;
      if (before !== undefined && !this.#repeatedCalls.get(known.id)?.push(index))
        this.#repeatedCalls.set(known.id, [before, index]);
      this.#byId[known.space] = ids.set(known.id, index);
    }
    if (!known || !isKeyOf(entry.key, known)) this.#byKey.set(entry.key, index);
    if (entry.kind === 'message' && entry.role === 'user') this.#addOfUser(entry, index);
  }

  /** Updates the index after `entry` replaced `before`. */
  replace(before: ConversationEntry | undefined, entry: ConversationEntry, index: number): void {
    if (before && hasSameIds(before, entry)) return;
    const known = before && idOf(before);
    if (known) this.#byId[known.space]?.delete(known.id);
    this.add(entry, index);
  }

  clear(): void {
    for (const ids of Object.values(this.#byId)) ids.clear();
    this.#repeatedCalls.clear();
    this.#byKey.clear();
    this.#unconfirmed.clear();
    this.lastQuestion = -1;
  }

  #addOfUser(entry: MessageEntry, index: number): void {
    if (isQuestion(entry)) this.lastQuestion = Math.max(this.lastQuestion, index);
    if (entry.messageId === null && entry.origin === 'local') this.#unconfirmed.add(entry.key);
    else if (this.#unconfirmed.size > 0) this.#unconfirmed.delete(entry.key);
  }
}

/** The key of an entry that starts with an id. */
export function keyOf(space: IdSpace, id: string): string {
  return `${space}:${id}`;
}

/** Whether `key` equals `keyOf(space, id)`. Allocates no string, because it runs for each entry. */
function isKeyOf(key: string, { space, id }: EntryId): boolean {
  const at = space.length;
  return key.length === at + 1 + id.length && key[at] === ':' && key.startsWith(space) && key.endsWith(id);
}

function hasSameIds(before: ConversationEntry, after: ConversationEntry): boolean {
  if (before.key !== after.key) return false;
  if (before.kind !== 'message' || after.kind !== 'message') return before.kind === after.kind;
  return before.messageId === after.messageId && before.role === after.role && before.origin === after.origin;
}
