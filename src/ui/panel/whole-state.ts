import { diffConversation } from '../../core/conversation/diff.ts';
import { equal } from '../../core/conversation/equal.ts';
import { applyPatch, type ConversationPatch } from '../../core/conversation/patch.ts';
import { settingsOf } from '../../core/conversation/settings.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { PanelQuestion, PanelState } from './state.ts';

/** The part of the state that the host sends: the page has the rest from the conversation. */
export type SentState = Omit<PanelState, 'conversation' | 'settings' | 'commands'>;

/** What changed in the conversation that is shown. */
export interface ConversationPart {
  /** Whether the patch makes the whole conversation. */
  readonly isWhole: boolean;
  readonly patch: ConversationPatch;
}

/** The state in a message: a question that the page has already is its id, so that each is sent once. */
export interface StatePart extends Omit<SentState, 'questions'> {
  readonly questions: readonly (PanelQuestion | string)[];
}

/** The state before anything is known. */
export const emptyState: PanelState = Object.freeze({
  phase: 'disconnected',
  agent: null,
  features: Object.freeze({}),
  authMethods: Object.freeze([]),
  login: null,
  nextAttemptAt: null,
  sessions: Object.freeze([]),
  sessionId: null,
  readOnly: null,
  cwd: null,
  loading: null,
  conversation: null,
  settings: Object.freeze([]),
  commands: Object.freeze([]),
  questions: Object.freeze([]),
  waiting: Object.freeze([]),
  draft: '',
  problem: null,
  actions: Object.freeze([]),
  agents: Object.freeze([]),
});

/** `next`, with the parts of `before` that are equal, and the equal items of its lists. `before` itself if all are. */
export function keepEqual<T extends object>(before: T, next: T): T {
  let isSame = true;
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(next)) {
    const old: unknown = Reflect.get(before, key);
    const isEqual = old === value || equal(old, value);
    kept[key] = isEqual ? old : keepItems(old, value);
    isSame &&= isEqual;
  }
  // The keys are those of `next`, and each value is equal to its value or is it.
  return isSame ? before : (Object.freeze(kept) as T);
}

/** A list in which the items that are equal to one at the same place, from the start or from the end, are that one. */
function keepItems(before: unknown, next: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(next)) return next;
  return next.map((item: unknown, index) => {
    const same = [before[index], before[before.length - next.length + index]];
    return same.find((old) => equal(old, item)) ?? item;
  });
}

/** The whole state: what the host sent, and what follows from the conversation. */
export function withConversation(
  before: PanelState,
  sent: Partial<SentState>,
  conversation: Conversation | null,
): PanelState {
  const { commands } = conversation ?? emptyState;
  const { conversation: old, ...rest } = before;
  const settings = conversation ? settingsOf(conversation) : emptyState.settings;
  const parts = keepEqual(rest, { ...rest, ...sent, settings, commands });
  // Compared by identity: its parts keep theirs, and a comparison would take as long as the conversation.
  return parts === rest && conversation === old ? before : Object.freeze({ ...parts, conversation });
}

/** The state with the questions that the page has already. */
export function withQuestions({ questions, ...state }: StatePart, before: SentState | undefined): SentState {
  const known = new Map(before?.questions.map((question) => [question.id, question]));
  const found = questions.flatMap((question) =>
    typeof question === 'string' ? (known.get(question) ?? []) : question,
  );
  if (found.length < questions.length) throw new TypeError('The page does not have the question.');
  return { ...state, questions: found };
}

/** The conversation after a change. What is equal keeps its identity. */
export function fold({ isWhole, patch }: ConversationPart, shown: Conversation | null): Conversation {
  const patched = applyPatch(isWhole ? undefined : (shown ?? undefined), patch);
  return isWhole && shown ? applyPatch(shown, diffConversation(shown, patched)) : patched;
}
