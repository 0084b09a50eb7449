import { diffConversation } from '../../../core/conversation/diff.ts';
import type { ConversationPatch, PatchOperation } from '../../../core/conversation/patch.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import type { ConversationChange } from './items.ts';

/** What has a conversation that changes. */
interface Holder {
  readonly conversation: Conversation;
}

/** Finds what changed in the conversations of a timeline since it was asked last. */
export class ConversationChanges {
  /** The conversations with their numbers in the timeline. */
  readonly #known = new Map<Holder, { readonly number: number; readonly latest: Conversation }>();

  /** What changed, as the conversations are now. One that is missing keeps its state. */
  take(holders: Iterable<Holder>): readonly ConversationChange[] {
    const changes: ConversationChange[] = [];
    for (const holder of holders) {
      const after = holder.conversation;
      const known = this.#known.get(holder);
      if (known?.latest === after) continue;
      const patch = diffConversation(known?.latest, after);
      const number = known?.number ?? this.#known.size;
      this.#known.set(holder, { number, latest: after });
      if (patch.length > 0)
        changes.push({ conversation: number, patch, entries: changedEntries(patch, after) });
    }
    return changes;
  }
}

/** The keys of the entries that a patch adds or changes, in the order of the transcript. */
function changedEntries(patch: ConversationPatch, after: Conversation): readonly string[] {
  const indexes = new Set<number>();
  for (const operation of patch) for (const index of entriesOf(operation, after)) indexes.add(index);
  return [...indexes].sort((a, b) => a - b).flatMap((index) => after.entries[index]?.key ?? []);
}

/** The indexes in `after` of the entries that an operation adds or changes. A patch goes through the entries in order. */
function entriesOf(operation: PatchOperation, after: Conversation): readonly number[] {
  if (operation.op === 'output') return shownAt(operation.terminalId, after);
  const [field, place] = operation.path;
  if (field === 'terminals' && typeof place === 'string') return shownAt(place, after);
  if (field !== 'entries') return [];
  if (typeof place === 'number') return [place];
  if (operation.op !== 'splice') return [];
  return operation.insert.map((_, offset) => operation.at + offset);
}

/** The indexes of the tool calls that show a terminal. */
function shownAt(terminalId: string, { entries }: Conversation): readonly number[] {
  const index = entries.findLastIndex(
    (entry) =>
      entry.kind === 'toolCall' &&
      entry.content.some((content) => content.type === 'terminal' && content.terminalId === terminalId),
  );
  return index === -1 ? [] : [index];
}
