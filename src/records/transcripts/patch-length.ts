import type { ConversationPatch, PatchOperation, PatchPath } from '../../core/conversation/patch.ts';
import type { Conversation } from '../../core/model/conversation.ts';

/** How long a character of the output of a terminal can be in JSON: an escape sequence. */
const maxEscapedLength = 6;

/**
 * By how much a patch makes the JSON text of a conversation longer, at least. Negative if it may become shorter.
 * `undefined` if that is not known without the states between the operations. `operations` are the JSON texts of its
 * operations: what they bring is not written as JSON a second time.
 */
export function lengthChange(
  before: Conversation,
  patch: ConversationPatch,
  operations: readonly string[],
): number | undefined {
  let change = 0;
  for (const [index, operation] of patch.entries()) {
    // The paths of the operations behind it would be those of another state.
    if (isInside(before, operation) && index < patch.length - 1) return undefined;
    const own = changeOf(before, operation.op, operation, operations[index]?.length ?? 0);
    if (own === undefined) return undefined;
    change += own;
  }
  return change;
}

type Operations = { readonly [K in PatchOperation['op']]: Extract<PatchOperation, { op: K }> };

/** `length` is that of the operation as JSON. Without what the operation brings, the rest of it is short. */
const changes: {
  readonly [K in keyof Operations]: (
    before: Conversation,
    operation: Operations[K],
    length: number,
  ) => number | undefined;
} = {
  set(before, operation, length) {
    const { path } = operation;
    if (path.length === 0) return undefined;
    return length - lengthOf({ ...operation, value: 0 }) + 1 - lengthOf(valueAt(before, path));
  },
  unset: (before, { path }) => -lengthOf(valueAt(before, path)) - lengthOf(path.at(-1)) - 2,
  append: (_, operation, length) => length - lengthOf({ ...operation, text: '' }),
  splice(before, operation, length) {
    const { path, at, remove, insert } = operation;
    const list = valueAt(before, path);
    if (remove > 0 && !Array.isArray(list)) return undefined;
    const removed: readonly unknown[] = Array.isArray(list) ? list.slice(at, at + remove) : [];
    const commas = Math.max(0, insert.length - 1);
    return length - lengthOf({ ...operation, insert: [] }) - commas - sumOf(removed) - removed.length;
  },
  output: (_, operation, length) =>
    length - lengthOf({ ...operation, text: '' }) - maxEscapedLength * operation.remove,
};

function changeOf<K extends keyof Operations>(
  before: Conversation,
  op: K,
  operation: PatchOperation,
  length: number,
): number | undefined {
  // The table is keyed by the tag of the operation.
  return changes[op](before, operation as Operations[K], length);
}

/** Whether an operation moves items of a list that stand behind its place. */
function isInside(before: Conversation, operation: PatchOperation): boolean {
  if (operation.op !== 'splice') return false;
  const list = valueAt(before, operation.path);
  return !Array.isArray(list) || operation.at + operation.remove < list.length;
}

/** The value at a path. `undefined` if there is none. */
export function valueAt(conversation: Conversation, path: PatchPath): unknown {
  let value: unknown = conversation;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = value[key as never];
  }
  return value;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function sumOf(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + lengthOf(value), 0);
}
