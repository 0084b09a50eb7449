import type { SentSecrets } from '../../core/base/secrets.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/**
 * Removes what was sent as a secret from a conversation, by the rules of a trace. Parts without a secret keep their
 * identity.
 */
export class Redaction {
  readonly #secrets: SentSecrets | undefined;
  #parts = new WeakMap<object, unknown>();
  #hasFound = false;

  constructor(secrets: SentSecrets | undefined) {
    this.#secrets = secrets;
  }

  /** Whether a conversation had a secret. */
  get hasFound(): boolean {
    return this.#hasFound;
  }

  /** Forgets what parts looked like without secrets: further secrets were sent since. */
  renew(): void {
    this.#parts = new WeakMap();
  }

  /** The conversation without the secrets. Returns the same one if it has none. */
  conversation(conversation: Conversation): Conversation {
    const secrets = this.#secrets;
    if (!secrets || secrets.reach === 0) return conversation;
    const { entries, terminals, ...fields } = conversation;
    const safeFields = secrets.removeFromMessage(fields);
    const safeEntries = entries.map((entry) => this.#part(secrets, entry));
    const safeTerminals = Object.entries(terminals).map(([id, terminal]): [string, typeof terminal] => [
      id,
      this.#part(secrets, terminal),
    ]);
    const isSame =
      safeFields === fields &&
      safeEntries.every((entry, index) => entry === entries[index]) &&
      safeTerminals.every(([id, terminal]) => terminal === terminals[id]);
    if (isSame) return conversation;
    this.#hasFound = true;
    // Texts were replaced by texts.
    const safe = { ...(safeFields as typeof fields), entries: safeEntries };
    return { ...safe, terminals: Object.fromEntries(safeTerminals) };
  }

  #part<T extends object>(secrets: SentSecrets, part: T): T {
    if (!this.#parts.has(part)) this.#parts.set(part, secrets.removeFromMessage(part));
    // Texts were replaced by texts.
    return this.#parts.get(part) as T;
  }
}
