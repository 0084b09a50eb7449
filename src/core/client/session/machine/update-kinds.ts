import type { AnyUpdate, ClientUpdate } from '../../../model/client-update.ts';
import { isInBackground } from '../../../model/session.ts';
import type { ConversationUpdate, MessageChunk, MessageUpdate } from '../../../model/update.ts';
import type { SessionState } from './state.ts';

/** What an update of one kind carries: history, such as a message, or the state of the session now. */
type Carried = 'history' | 'present';

/** The kinds that agents send. */
const sent: { readonly [K in ConversationUpdate['sessionUpdate']]: Carried } = {
  state_update: 'present',
  replay_complete: 'present',
  user_message: 'history',
  user_message_chunk: 'history',
  agent_message: 'history',
  agent_message_chunk: 'history',
  agent_thought: 'history',
  agent_thought_chunk: 'history',
  tool_call: 'history',
  tool_call_update: 'history',
  available_commands_update: 'present',
  current_mode_update: 'present',
  config_option_update: 'present',
  session_info_update: 'present',
  usage_update: 'present',
  prompt_suggestions_update: 'present',
  subagent_update: 'present',
  cursor_update: 'present',
  notice: 'present',
  tool_call_content_chunk: 'history',
  session_message: 'history',
  session_message_chunk: 'history',
  terminal_update: 'history',
  terminal_output_chunk: 'history',
  plan: 'history',
  plan_update: 'history',
  plan_removed: 'history',
  compaction_update: 'history',
  compaction_summary_chunk: 'history',
  _unknown: 'history',
};

/** The kinds that only the client makes. */
const made: { readonly [K in ClientUpdate['sessionUpdate']]: Carried } = {
  terminal_output_reported: 'history',
  prompt_submitted: 'history',
  prompt_settled: 'history',
  pending_messages: 'present',
  permission_update: 'history',
  tool_progress: 'history',
  unfinished_cancelled: 'history',
  modes_update: 'history',
  models_update: 'history',
  turn_failed: 'history',
  history_added: 'history',
  terminal_started: 'present',
  terminal_printed: 'present',
  terminal_read: 'present',
  terminal_exited: 'present',
};

/** The table as a map: it is read for each update, which is faster in a map than in so large an object. */
const carriedByKind: ReadonlyMap<string, Carried> = new Map(Object.entries({ ...sent, ...made }));

/** Whether an update is of a kind that agents send. */
export function isSent(update: AnyUpdate): update is ConversationUpdate {
  return Object.hasOwn(sent, update.sessionUpdate);
}

/** Whether an update is about a message of the user. */
export function isUserMessage(update: AnyUpdate): update is MessageChunk | MessageUpdate {
  const { sessionUpdate: kind } = update;
  return kind === 'user_message' || kind === 'user_message_chunk';
}

/** Whether an update carries history, such as a message or a tool call. */
export function isHistory({ sessionUpdate }: AnyUpdate): boolean {
  return carriedByKind.get(sessionUpdate) === 'history';
}

/**
 * Whether an update shows that the agent works on an open prompt. History does, and so does a session or a subagent that is
 * not idle. What an agent may report at any time does not: commands, settings, usage, title, suggestions, cursors, notices,
 * an idle state, and what it named as background work. A message of the user that has an id does not: the prompt that it repeats
 * gets the id, and the work on it can begin later. Requests from the agent and calls of tools count as history does.
 */
export function showsWork({ background }: SessionState, update: AnyUpdate): boolean {
  if (update.sessionUpdate === 'state_update') return update.state !== 'idle';
  if (isUserMessage(update) && typeof update.messageId === 'string') return false;
  const isActive = update.sessionUpdate === 'subagent_update' && (update.state?.state ?? 'idle') !== 'idle';
  return (isActive || isHistory(update)) && !isInBackground(background, update);
}
