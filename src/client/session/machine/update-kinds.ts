import type { AnyUpdate, ClientUpdate } from '../../../model/client-update.ts';
import type { ConversationUpdate } from '../../../model/update.ts';
import { isUnbegun, type SessionState } from './state.ts';

type Kind = AnyUpdate['sessionUpdate'];
type UpdateOf<K extends Kind> = Extract<AnyUpdate, { readonly sessionUpdate: K }>;

/** What an update of one kind means for its session, beside what the conversation shows. */
interface KindOf<K extends Kind> {
  /** Whether it carries history, such as a message. All others carry the state of the session now. */
  readonly isHistory: boolean;
  /** Whether it can change the state of the session. Absent: it never does. */
  readonly concerns?: (state: SessionState, update: UpdateOf<K>) => boolean;
}

/** Called with updates of its own kind only. */
type Concerns = (state: SessionState, update: AnyUpdate) => boolean;

/** Whether the agent's reports of user messages matter: one may be an open prompt, or a message that waits. */
export function isFollowed({ turns, pending }: SessionState): boolean {
  return turns.length > 0 || pending.length > 0;
}

const always = { isHistory: false, concerns: () => true };
const current = { isHistory: false };
const history = { isHistory: true };
const prompt = {
  isHistory: true,
  concerns: (state: SessionState, { messageId }: { readonly messageId?: string | null }) =>
    isFollowed(state) && typeof messageId === 'string',
};
const work = { isHistory: true, concerns: ({ turns }: SessionState) => isUnbegun(turns) };

/** The kinds that agents send. */
const sent = {
  state_update: always,
  replay_complete: always,
  user_message: prompt,
  user_message_chunk: prompt,
  agent_message: work,
  agent_message_chunk: work,
  agent_thought: work,
  agent_thought_chunk: work,
  tool_call: {
    isHistory: true,
    concerns: ({ turns, requests }: SessionState) => isUnbegun(turns) || requests.length > 0,
  },
  tool_call_update: { isHistory: true, concerns: ({ requests }: SessionState) => requests.length > 0 },
  available_commands_update: current,
  current_mode_update: current,
  config_option_update: current,
  session_info_update: current,
  usage_update: current,
  subagent_update: current,
  notice: current,
  tool_call_content_chunk: history,
  session_message: history,
  session_message_chunk: history,
  terminal_update: history,
  terminal_output_chunk: history,
  plan: history,
  plan_update: history,
  plan_removed: history,
  compaction_update: history,
  compaction_summary_chunk: history,
  _unknown: history,
} satisfies { readonly [K in ConversationUpdate['sessionUpdate']]: KindOf<K> };

/** The kinds that only the client makes. */
const made = {
  terminal_output_reported: history,
  prompt_submitted: history,
  prompt_settled: history,
  pending_messages: current,
  permission_update: history,
  unfinished_cancelled: history,
  modes_update: history,
  models_update: history,
  turn_failed: history,
  history_added: history,
  terminal_started: current,
  terminal_printed: current,
  terminal_read: current,
  terminal_exited: current,
} satisfies { readonly [K in ClientUpdate['sessionUpdate']]: KindOf<K> };

const kinds = { ...sent, ...made };

/** The kinds by tag: they are looked up for each update, which is faster in a map than in so large an object. */
const kindsByTag: ReadonlyMap<string, { readonly isHistory: boolean; readonly concerns?: Concerns }> =
  new Map(
    Object.entries(kinds).map(([tag, kind]) => [
      tag,
      'concerns' in kind ? { ...kind, concerns: kind.concerns as Concerns } : kind,
    ]),
  );

/** The kinds of updates that can change the state of a session. */
export type ReactingKind = {
  [K in Kind]: (typeof kinds)[K] extends { readonly concerns: unknown } ? K : never;
}[Kind];

/** Whether an update is of a kind that agents send. */
export function isSent(update: AnyUpdate): update is ConversationUpdate {
  return Object.hasOwn(sent, update.sessionUpdate);
}

/** Whether an update is about a message of the user. */
export function isUserMessage(update: AnyUpdate): update is UpdateOf<'user_message' | 'user_message_chunk'> {
  return update.sessionUpdate === 'user_message' || update.sessionUpdate === 'user_message_chunk';
}

/** Whether an update carries history, such as a message or a tool call. */
export function isHistory({ sessionUpdate }: AnyUpdate): boolean {
  return kindsByTag.get(sessionUpdate)?.isHistory === true;
}

/** Whether updates of this kind can change the state of a session. */
export function isReacting(
  update: AnyUpdate,
): update is Extract<AnyUpdate, { readonly sessionUpdate: ReactingKind }> {
  return 'concerns' in kinds[update.sessionUpdate];
}

/**
 * Whether an update can change more than the conversation. All others are folded without a transition, which for a
 * long stream of text is most of them.
 */
export function concernsState(state: SessionState, update: AnyUpdate): boolean {
  if (state.historyTarget !== 'live' && state.historyTarget !== 'replay') return true;
  return kindsByTag.get(update.sessionUpdate)?.concerns?.(state, update) ?? false;
}
