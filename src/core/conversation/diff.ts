import { isJsonObject, type JsonValue } from '../base/json.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  SessionCursor,
  SubagentInfo,
} from '../model/conversation.ts';
import type { Plan } from '../model/plan.ts';
import { shortEntry } from './entry-defaults.ts';
import { equal } from './equal.ts';
import { addedText } from './growth.ts';
import { unchangedStart } from './list-versions.ts';
import { patchedKeys } from './meta.ts';
import type { ConversationPatch, PatchOperation, PatchPath } from './patch.ts';
import { positionOf } from './utf8.ts';

type Operations = PatchOperation[];
/** Adds the operations that lead from one value to another one. */
type Diff<T> = (operations: Operations, path: PatchPath, before: T, after: T) => void;

/**
 * Returns the patch that leads from one state of a conversation to another one. Send it to another process, and apply
 * it there with `applyPatch`.
 *
 * Two states of the same store are compared by identity: the time depends on the changes and, with a small factor, on
 * the number of entries. Other states are compared by value.
 *
 * @param before - `undefined` if there is no earlier state. The patch then does not need an earlier patch.
 *
 * @example
 * ```ts
 * let sent = store.getSnapshot();
 * store.subscribe(() => {
 *   const next = store.getSnapshot();
 *   panel.postMessage(diffConversation(sent, next));
 *   sent = next;
 * });
 * ```
 */
export function diffConversation(before: Conversation | undefined, after: Conversation): ConversationPatch {
  const operations: Operations = [];
  if (before === after) return operations;
  let start = before;
  if (start === undefined) {
    start = { ...after, entries: [], terminals: {} };
    operations.push({ op: 'set', path: [], value: json(start) });
  }
  diffFields(operations, [], start, after, conversationFields);
  return operations;
}

/** Fields with a diff of their own. Other fields are set as a whole. */
type FieldDiffs = Readonly<Record<string, Diff<never>>>;

/** @param keys - Those in which they can differ, if that is known. */
function diffFields(
  operations: Operations,
  path: PatchPath,
  before: object,
  after: object,
  diffs: FieldDiffs,
  keys?: ReadonlySet<string>,
): void {
  const fields = after as Readonly<Record<string, unknown>>;
  for (const key of keys ?? Object.keys(before)) {
    const isGone = Object.hasOwn(before, key) && !Object.hasOwn(after, key);
    if (isGone) operations.push({ op: 'unset', path: [...path, key] });
  }
  for (const key of keys ?? Object.keys(fields)) {
    if (!Object.hasOwn(after, key)) continue;
    const value = fields[key];
    const earlier = Object.hasOwn(before, key) ? before[key as never] : undefined;
    if (earlier === value) continue;
    const diff = earlier === undefined ? diffValue : Object.hasOwn(diffs, key) ? diffs[key] : diffValue;
    // The tables name the fields of the type that they are for.
    diff?.(operations, [...path, key], earlier as never, value as never);
  }
}

const diffValue: Diff<unknown> = (operations, path, before, after) => {
  if (!equal(before, after)) operations.push({ op: 'set', path, value: json(after) });
};

/** Metadata key by key: agents add keys for a whole session, and a patch must not repeat those that are known. */
const diffMeta: Diff<unknown> = (operations, path, before, after) => {
  if (!isJsonObject(before) || !isJsonObject(after)) return diffValue(operations, path, before, after);
  diffFields(operations, path, before, after, {}, patchedKeys(before, after));
};

interface List<T> {
  /** Items with the same id are versions of one item. */
  readonly idOf: (item: T, index: number) => unknown;
  readonly diffItem: Diff<T>;
  readonly encode: (item: T) => JsonValue;
}

function diffList<T>({ idOf, diffItem, encode }: List<T>): Diff<readonly T[]> {
  return (operations, path, before, after) => {
    let start = unchangedStart(before, after);
    const shorter = Math.min(before.length, after.length);
    while (start < shorter && before[start] === after[start]) start++;
    let beforeEnd = before.length;
    let afterEnd = after.length;
    while (beforeEnd > start && afterEnd > start && before[beforeEnd - 1] === after[afterEnd - 1]) {
      beforeEnd--;
      afterEnd--;
    }

    const positions = new Map<unknown, number>();
    for (let index = start; index < beforeEnd; index++) {
      positions.set(idOf(before[index] as T, index), index);
    }
    let insert: JsonValue[] = [];
    /** The next item of `before`. */
    let next = start;
    const splice = (at: number, remove: number) => {
      if (remove > 0 || insert.length > 0) operations.push({ op: 'splice', path, at, remove, insert });
      insert = [];
    };
    for (let index = start; index < afterEnd; index++) {
      // Both indexes are within their list.
      const item = after[index] as T;
      const position = positions.get(idOf(item, index));
      if (position === undefined || position < next) {
        insert.push(encode(item));
        continue;
      }
      splice(index - insert.length, position - next);
      const earlier = before[position] as T;
      if (earlier !== item) diffItem(operations, [...path, index], earlier, item);
      next = position + 1;
    }
    splice(afterEnd - insert.length, beforeEnd - next);
  };
}

/** A text block, or the output of a tool that is one. */
type Block = { readonly type: string; readonly text?: unknown; readonly content?: unknown };

const diffBlock: Diff<Block> = (operations, path, before, after) => {
  if (before.type === 'text' && after.type === 'text')
    diffFields(operations, path, before, after, textFields(before, after));
  else if (before.type === 'content' && after.type === 'content') {
    diffFields(operations, path, before, after, toolBlockFields);
  } else diffValue(operations, path, before, after);
};

function textFields(holder: object, grown: object): FieldDiffs {
  const text: Diff<string> = (operations, path, before, after) => {
    const added = before === '' ? undefined : addedText(holder, grown, before, after);
    if (added === undefined || added === '') diffValue(operations, path, before, after);
    else operations.push({ op: 'append', path, text: added });
  };
  return { text };
}

const toolBlockFields: FieldDiffs = { content: diffBlock };

const blocks = diffList<Block>({ idOf: (_, index) => index, diffItem: diffBlock, encode: json });
const entryFields: FieldDiffs = { content: blocks, summary: blocks, meta: diffMeta };

const entries = diffList<ConversationEntry>({
  idOf: ({ key }) => key,
  diffItem(operations, path, before, after) {
    if (before.kind === after.kind) diffFields(operations, path, before, after, entryFields);
    else operations.push({ op: 'set', path, value: shortEntry(after) });
  },
  encode: shortEntry,
});

const plans = diffList<Plan>({ idOf: ({ planId }) => planId, diffItem: diffValue, encode: json });

const diffWithMeta: Diff<object> = (operations, path, before, after) =>
  diffFields(operations, path, before, after, { meta: diffMeta });

const subagents = diffList<SubagentInfo>({
  idOf: ({ sessionId }) => sessionId,
  diffItem: diffWithMeta,
  encode: json,
});

const cursors = diffList<SessionCursor>({
  idOf: ({ cursorId }) => cursorId,
  diffItem: diffWithMeta,
  encode: json,
});

const diffTerminal: Diff<ConversationTerminal> = (operations, path, before, after) => {
  if (before.output !== after.output)
    operations.push({ op: 'output', terminalId: after.terminalId, ...changedOutput(before, after) });
  diffWithMeta(operations, path, { ...before, output: after.output }, after);
};

const terminals: Diff<Conversation['terminals']> = (operations, path, before, after) => {
  const diffs = Object.fromEntries(Object.keys(after).map((id) => [id, diffTerminal]));
  diffFields(operations, path, before, after, diffs);
};

/** How much to remove from the start of the output, and what to append. */
function changedOutput(
  before: ConversationTerminal,
  after: ConversationTerminal,
): { remove: number; text: string } {
  const droppedBytes = after.droppedBytes - before.droppedBytes;
  if (droppedBytes === 0) {
    const text = addedText(before, after, before.output, after.output);
    if (text !== undefined) return { remove: 0, text };
  } else if (droppedBytes > 0) {
    const remove = positionOf(before.output, droppedBytes).index;
    const kept = before.output.length - remove;
    if (after.output.slice(0, kept) === before.output.slice(remove)) {
      return { remove, text: after.output.slice(kept) };
    }
  }
  return { remove: before.output.length, text: after.output };
}

const conversationFields: FieldDiffs = { entries, plans, subagents, cursors, terminals, meta: diffMeta };

/** All parts of a conversation are JSON values. Their types are too precise for TypeScript to know. */
function json(value: unknown): JsonValue {
  return value as JsonValue;
}
