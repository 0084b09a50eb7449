import { isJsonObject } from '../json.ts';
import type { AnyUpdate } from '../model/client-update.ts';
import type { UnknownUpdate } from '../model/update.ts';
import {
  type Check,
  isAny,
  isBackgroundWork,
  isBlock,
  isBoolean,
  isCommand,
  isConfigOption,
  isCost,
  isEntry,
  isExitStatus,
  isFailureCause,
  isLocation,
  isMeta,
  isModels,
  isModes,
  isNumber,
  isPendingMessage,
  isPermission,
  isPlan,
  isPlanEntry,
  isString,
  isTerminal,
  isTerminalOutput,
  isTerminalSize,
  isToolCallContent,
  isTurnUsage,
  listOf,
  nullable,
  objectOf,
  optional,
} from './checks.ts';
import { compactionSummaryChunk, compactionUpdate } from './compaction.ts';
import type { Draft } from './draft.ts';
import { historyAdded, turnFailed } from './history.ts';
import { freeKey, messageChunk, messageUpdate, promptSettled, promptSubmitted } from './messages.ts';
import { pendingMessages } from './pending-messages.ts';
import { planRemoved, planUpdate, solePlan } from './plans.ts';
import {
  commandsUpdate,
  configOptionUpdate,
  currentModeUpdate,
  modelsUpdate,
  modesUpdate,
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
  toolCallAnnounced,
  toolCallContentChunk,
  toolCallUpdate,
  unfinishedCancelled,
} from './tool-calls.ts';

type KnownUpdate = Exclude<AnyUpdate, UnknownUpdate>;
type Tag = KnownUpdate['sessionUpdate'];
type UpdateOf<K extends Tag> = Extract<KnownUpdate, { readonly sessionUpdate: K }>;
type Apply<K extends Tag> = (draft: Draft, update: UpdateOf<K>) => void;

/** A check for each field of an update, including the optional ones. */
type Fields<K extends Tag> = { readonly [F in Exclude<keyof UpdateOf<K>, 'sessionUpdate'>]-?: Check };

const optionalString = optional(isString);
const optionalObject = optional(isJsonObject);
const optionalBlocks = optional(listOf(isBlock));

const chunk = { messageId: optionalString, content: isBlock, _meta: isMeta };
const message = { messageId: isString, content: optionalBlocks, _meta: isMeta };
const toolCall = {
  toolCallId: isString,
  title: optionalString,
  name: optionalString,
  kind: optionalString,
  status: optionalString,
  content: optional(listOf(isToolCallContent)),
  locations: optional(listOf(isLocation)),
  rawInput: isAny,
  rawOutput: isAny,
  capabilities: optionalObject,
  _meta: isMeta,
};

const state = {
  state: isString,
  stopReason: optionalString,
  error: optionalObject,
  usage: optional(isTurnUsage),
  background: optional(listOf(isBackgroundWork)),
  _meta: isMeta,
};
const isState = objectOf(state);

/**
 * What each update does, and the types of its fields. A caller can pass any value, so an update with a field of a
 * wrong type is ignored. An update or a field without a line in this table is a compile error.
 */
const transitions: { readonly [K in Tag]: readonly [apply: Apply<K>, fields: Fields<K>] } = {
  user_message_chunk: [messageChunk('user'), chunk],
  agent_message_chunk: [messageChunk('agent'), chunk],
  agent_thought_chunk: [messageChunk('thought'), chunk],
  user_message: [messageUpdate('user'), message],
  agent_message: [messageUpdate('agent'), message],
  agent_thought: [messageUpdate('thought'), message],
  session_message: [
    sessionMessageUpdate,
    {
      ...message,
      senderSessionId: optionalString,
      recipientSessionId: optionalString,
      senderMessageId: optionalString,
      recipientMessageId: optionalString,
    },
  ],
  session_message_chunk: [sessionMessageChunk, { messageId: isString, content: isBlock, _meta: isMeta }],
  prompt_submitted: [promptSubmitted, { key: isString, content: listOf(isBlock) }],
  prompt_settled: [promptSettled, { key: isString, accepted: isBoolean, messageId: optionalString }],
  pending_messages: [pendingMessages, { messages: listOf(isPendingMessage) }],
  tool_call: [toolCallAnnounced, toolCall],
  tool_call_update: [toolCallUpdate, toolCall],
  tool_call_content_chunk: [
    toolCallContentChunk,
    { toolCallId: isString, content: isToolCallContent, _meta: isMeta },
  ],
  permission_update: [permissionUpdate, { toolCallId: isString, permission: nullable(isPermission) }],
  unfinished_cancelled: [unfinishedCancelled, {}],
  terminal_update: [
    terminalUpdate,
    {
      terminalId: isString,
      command: optionalString,
      cwd: optionalString,
      output: optional(isTerminalOutput),
      exitStatus: optional(isExitStatus),
      size: optional(isTerminalSize),
      capabilities: optionalObject,
      _meta: isMeta,
    },
  ],
  terminal_output_chunk: [terminalOutputChunk, { terminalId: isString, data: isString, _meta: isMeta }],
  terminal_output_reported: [terminalOutputReported, { terminalId: isString, data: isString }],
  terminal_started: [
    terminalStarted,
    {
      terminalId: isString,
      command: isString,
      argv: nullable(listOf(isString)),
      cwd: nullable(isString),
    },
  ],
  terminal_printed: [terminalPrinted, { terminalId: isString, text: isString }],
  terminal_read: [terminalRead, { terminalId: isString, output: isString, truncated: isBoolean }],
  terminal_exited: [terminalExited, { terminalId: isString, exitStatus: isExitStatus }],
  plan_update: [planUpdate, { plan: isPlan, _meta: isMeta }],
  plan: [solePlan, { entries: listOf(isPlanEntry), _meta: isMeta }],
  plan_removed: [planRemoved, { planId: isString, _meta: isMeta }],
  state_update: [stateUpdate, state],
  available_commands_update: [commandsUpdate, { availableCommands: listOf(isCommand), _meta: isMeta }],
  current_mode_update: [currentModeUpdate, { currentModeId: isString, _meta: isMeta }],
  modes_update: [modesUpdate, { modes: nullable(isModes) }],
  models_update: [modelsUpdate, { models: nullable(isModels) }],
  turn_failed: [turnFailed, { cause: isFailureCause, reason: isString, code: optional(isNumber) }],
  history_added: [
    historyAdded,
    {
      entries: listOf(isEntry),
      terminals: optional(listOf(isTerminal)),
      replaces: optional(listOf(isString)),
    },
  ],
  config_option_update: [configOptionUpdate, { configOptions: listOf(isConfigOption), _meta: isMeta }],
  session_info_update: [
    sessionInfoUpdate,
    { title: optionalString, updatedAt: optionalString, _meta: isMeta },
  ],
  usage_update: [usageUpdate, { used: isNumber, size: isNumber, cost: optional(isCost), _meta: isMeta }],
  subagent_update: [
    subagentUpdate,
    {
      sessionId: isString,
      title: optionalString,
      description: optionalString,
      cwd: optionalString,
      additionalDirectories: optional(listOf(isString)),
      capabilities: optionalObject,
      state: optional(isState),
      _meta: isMeta,
    },
  ],
  // It says where the history ends. It does not change the conversation.
  replay_complete: [() => {}, { _meta: isMeta }],
  // An event for the listeners of the session. It does not change the conversation.
  notice: [() => {}, { severity: isString, title: isString, description: optionalString, _meta: isMeta }],
  compaction_update: [
    compactionUpdate,
    {
      compactionId: isString,
      status: isString,
      summary: optionalBlocks,
      error: optionalString,
      _meta: isMeta,
    },
  ],
  compaction_summary_chunk: [
    compactionSummaryChunk,
    { compactionId: isString, content: isBlock, _meta: isMeta },
  ],
};

interface Transition {
  readonly apply: (draft: Draft, update: AnyUpdate) => void;
  readonly isValid: Check;
}

const transitionsByTag = new Map<string, Transition>(
  Object.entries(transitions).map(([tag, [apply, fields]]) => {
    // Each function is called with updates of its own tag only, see `reduce`.
    return [tag, { apply: apply as Transition['apply'], isValid: objectOf(fields) }];
  }),
);

/** Applies one update to a draft. Accepts any value and never throws. An invalid update changes nothing. */
export function reduce(draft: Draft, update: AnyUpdate): void {
  // The type excludes `null`, but a caller can pass it.
  const transition = transitionsByTag.get(update?.sessionUpdate);
  if (!transition) return unknownUpdate(draft, update);
  if (transition.isValid(update)) transition.apply(draft, update);
}

/** Like {@link reduce}, for an update that a dialect has already checked against the schema. */
export function reduceNormalized(draft: Draft, update: AnyUpdate): void {
  const transition = transitionsByTag.get(update.sessionUpdate);
  if (transition) transition.apply(draft, update);
  else unknownUpdate(draft, update);
}

/** Keeps an update of an unknown kind as an entry. Recordings that are folded directly contain them unwrapped. */
function unknownUpdate(draft: Draft, update: AnyUpdate): void {
  const raw: unknown = update?.sessionUpdate === '_unknown' ? update.update : update;
  const tag = isJsonObject(raw) ? raw['sessionUpdate'] : undefined;
  if (!isJsonObject(raw) || typeof tag !== 'string') return;
  draft.append({ kind: 'unknown', key: freeKey(draft, 'unknown'), tag, raw, origin: draft.origin });
}
