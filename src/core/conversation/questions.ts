import type { Conversation, ToolCallEntry } from '../model/conversation.ts';
import type { PendingPermission } from '../model/permission.ts';

/** An open permission request, see {@link openQuestions}. */
export interface OpenQuestion {
  readonly permission: PendingPermission;
  /** The tool call that needs the permission. The handler `requestPermission` gets its `toolCallId`. */
  readonly toolCall: ToolCallEntry;
}

const none: readonly OpenQuestion[] = Object.freeze([]);

/** The questions by the first tool call that has one, which every later list with it begins with. */
const lists = new WeakMap<ToolCallEntry, readonly OpenQuestion[]>();

/**
 * The open permission requests, each with the tool call that it is about, in the order of the transcript. Returns the
 * same list as long as none of these tool calls changes and no question is added or answered.
 *
 * @example
 * ```ts
 * for (const { permission, toolCall } of openQuestions(conversation)) {
 *   ask(permission.title ?? toolCall.title, permission.options);
 * }
 * ```
 */
export function openQuestions({ entries }: Conversation): readonly OpenQuestion[] {
  const questions: OpenQuestion[] = [];
  // By index: array methods take several times as long on a frozen array.
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry?.kind !== 'toolCall' || entry.permission === null) continue;
    questions.push(Object.freeze({ permission: entry.permission, toolCall: entry }));
  }
  const [first] = questions;
  if (!first) return none;
  const known = lists.get(first.toolCall);
  const isKnown =
    known?.length === questions.length &&
    known.every(({ toolCall }, index) => toolCall === questions[index]?.toolCall);
  if (isKnown) return known;
  lists.set(first.toolCall, Object.freeze(questions));
  return questions;
}
