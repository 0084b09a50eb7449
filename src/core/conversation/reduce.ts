import { isJsonObject } from '../base/json.ts';
import type { AnyUpdate } from '../model/client-update.ts';
import type { UnknownUpdate } from '../model/update.ts';
import { compactionSummaryChunk, compactionUpdate } from './compaction.ts';
import { cursorUpdate } from './cursors.ts';
import type { Draft } from './draft.ts';
import { historyAdded, turnFailed } from './history.ts';
import { freeKey, messageChunk, messageUpdate, promptSettled, promptSubmitted } from './messages.ts';
import { planRemoved, planUpdate, solePlan } from './plans.ts';
import { withType } from './saved.ts';
import {
  currentModeUpdate,
  pendingMessages,
  promptSuggestionsUpdate,
  sessionInfoUpdate,
  stateUpdate,
  usageUpdate,
} from './session.ts';
import { sessionMessageChunk, sessionMessageUpdate } from './session-messages.ts';
import { subagentUpdate } from './subagents.ts';
import {
  terminalExited,
  terminalOutputChunk,
  terminalOutputReported,
  terminalPrinted,
  terminalRead,
  terminalStarted,
  terminalUpdate,
} from './terminals.ts';
import {
  permissionUpdate,
  toolCallContentChunk,
  toolCallUpdate,
  toolProgress,
  unfinishedCancelled,
} from './tool-calls.ts';

type KnownUpdate = Exclude<AnyUpdate, UnknownUpdate>;
type Tag = KnownUpdate['sessionUpdate'];
type UpdateOf<K extends Tag> = Extract<KnownUpdate, { readonly sessionUpdate: K }>;
type Apply<K extends Tag> = (draft: Draft, update: UpdateOf<K>) => void;

/** What each update does. An update without a line in this table is a compile error. */
const transitions: { readonly [K in Tag]: Apply<K> } = {
  user_message_chunk: messageChunk('user'),
  agent_message_chunk: messageChunk('agent'),
  agent_thought_chunk: messageChunk('thought'),
  user_message: messageUpdate('user'),
  agent_message: messageUpdate('agent'),
  agent_thought: messageUpdate('thought'),
  session_message: sessionMessageUpdate,
  session_message_chunk: sessionMessageChunk,
  prompt_submitted: promptSubmitted,
  prompt_settled: promptSettled,
  pending_messages: pendingMessages,
  tool_call: toolCallUpdate,
  tool_call_update: toolCallUpdate,
  tool_call_content_chunk: toolCallContentChunk,
  permission_update: permissionUpdate,
  tool_progress: toolProgress,
  unfinished_cancelled: unfinishedCancelled,
  terminal_update: terminalUpdate,
  terminal_output_chunk: terminalOutputChunk,
  terminal_output_reported: terminalOutputReported,
  terminal_started: terminalStarted,
  terminal_printed: terminalPrinted,
  terminal_read: terminalRead,
  terminal_exited: terminalExited,
  plan_update: planUpdate,
  plan: solePlan,
  plan_removed: planRemoved,
  state_update: stateUpdate,
  available_commands_update: (draft, { availableCommands }) =>
    draft.set('commands', availableCommands.map(withType)),
  current_mode_update: currentModeUpdate,
  modes_update: (draft, { modes }) => draft.set('modes', modes),
  models_update: (draft, { models }) => draft.set('models', models),
  turn_failed: turnFailed,
  history_added: historyAdded,
  config_option_update: (draft, { configOptions }) => draft.set('configOptions', configOptions),
  session_info_update: sessionInfoUpdate,
  usage_update: usageUpdate,
  prompt_suggestions_update: promptSuggestionsUpdate,
  subagent_update: subagentUpdate,
  cursor_update: cursorUpdate,
  // It says where the history ends. It does not change the conversation.
  replay_complete: () => {},
  // An event for the listeners of the session. It does not change the conversation.
  notice: () => {},
  compaction_update: compactionUpdate,
  compaction_summary_chunk: compactionSummaryChunk,
};

type ApplyAny = (draft: Draft, update: AnyUpdate) => void;

// Each function is called with updates of its own tag only, see `reduce`.
const transitionsByTag = new Map(Object.entries(transitions) as [string, ApplyAny][]);

/**
 * Applies one update to a draft. Its fields must have their types: a dialect checks what an agent sends. A value
 * that is not an update changes nothing.
 */
export function reduce(draft: Draft, update: AnyUpdate): void {
  // The type excludes `null`, but a caller can pass it.
  const apply = transitionsByTag.get(update?.sessionUpdate);
  if (apply) apply(draft, update);
  else unknownUpdate(draft, update);
}

/** Keeps an update of an unknown kind as an entry. Recordings that are folded directly contain them unwrapped. */
function unknownUpdate(draft: Draft, update: AnyUpdate): void {
  const raw: unknown = update?.sessionUpdate === '_unknown' ? update.update : update;
  const tag = isJsonObject(raw) ? raw['sessionUpdate'] : undefined;
  if (!isJsonObject(raw) || typeof tag !== 'string') return;
  draft.append({ kind: 'unknown', key: freeKey(draft, 'unknown'), tag, raw, origin: draft.origin });
}
