import { valueAt } from '../../core/base/json.ts';
import type { SentSecrets } from '../../core/base/secrets.ts';
import type { ConversationPatch, PatchOperation } from '../../core/conversation/patch.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/**
 * Removes what was sent as a secret from a conversation, by the rules of a trace. Parts without a secret keep their
 * identity.
 */
export class Redaction {
  readonly #secrets: SentSecrets | undefined;
  #parts = new WeakMap<object, unknown>();
  /** Whether a conversation had a secret. From then on a patch must lead from one redacted conversation to another one. */
  hasFound = false;

  constructor(secrets: SentSecrets | undefined) {
    this.#secrets = secrets;
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
    this.hasFound = true;
    // Texts were replaced by texts.
    const safe = { ...(safeFields as typeof fields), entries: safeEntries };
    return { ...safe, terminals: Object.fromEntries(safeTerminals) };
  }

  #part<T extends object>(secrets: SentSecrets, part: T): T {
    if (!this.#parts.has(part)) this.#parts.set(part, secrets.removeFromMessage(part));
    // Texts were replaced by texts.
    return this.#parts.get(part) as T;
  }

  /** Whether a patch brings a secret into a conversation that had none, also one that began there before. */
  brings(before: Conversation, patch: ConversationPatch): boolean {
    const secrets = this.#secrets;
    if (!secrets || secrets.reach === 0) return false;
    return patch.some((operation) => this.#hasSecret(secrets, before, operation));
  }

  #hasSecret(secrets: SentSecrets, before: Conversation, operation: PatchOperation): boolean {
    if (operation.op !== 'append' && operation.op !== 'output')
      return secrets.removeFromMessage(operation) !== operation;
    const path = operation.op === 'append' ? operation.path : ['terminals', operation.terminalId, 'output'];
    const text = valueAt(before, path);
    // A place that the patch itself has made is not known here.
    if (typeof text !== 'string') return true;
    const around = text.slice(-secrets.reach) + operation.text;
    return secrets.removeFromMessage(around) !== around;
  }
}
