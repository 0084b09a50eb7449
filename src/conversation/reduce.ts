import { isJsonObject } from '../json.ts';
import type { ConversationUpdate, KnownUpdate } from '../model/update.ts';
import { compactionSummaryChunk, compactionUpdate } from './compaction.ts';
import type { Draft } from './draft.ts';
import { freeKey, messageChunk, messageUpdate, promptSettled, promptSubmitted } from './messages.ts';
import { planRemoved, planUpdate } from './plans.ts';
import {
  commandsUpdate,
  configOptionUpdate,
  currentModeUpdate,
  modesUpdate,
  sessionInfoUpdate,
  stateUpdate,
  usageUpdate,
} from './session.ts';
import { terminalOutputChunk, terminalUpdate } from './terminals.ts';
import {
  permissionUpdate,
  toolCallAnnounced,
  toolCallContentChunk,
  toolCallUpdate,
  unfinishedCancelled,
} from './tool-calls.ts';

type Tag = KnownUpdate['sessionUpdate'];
type UpdateOf<K extends Tag> = Extract<KnownUpdate, { readonly sessionUpdate: K }>;
type Transition<K extends Tag> = (draft: Draft, update: UpdateOf<K>) => void;

/** What each update does. A tag without a line here does not compile. */
const transitions: { readonly [K in Tag]: Transition<K> } = {
  user_message_chunk: messageChunk('user'),
  agent_message_chunk: messageChunk('agent'),
  agent_thought_chunk: messageChunk('thought'),
  user_message: messageUpdate('user'),
  agent_message: messageUpdate('agent'),
  agent_thought: messageUpdate('thought'),
  prompt_submitted: promptSubmitted,
  prompt_settled: promptSettled,
  tool_call: toolCallAnnounced,
  tool_call_update: toolCallUpdate,
  tool_call_content_chunk: toolCallContentChunk,
  permission_update: permissionUpdate,
  unfinished_cancelled: unfinishedCancelled,
  terminal_update: terminalUpdate,
  terminal_output_chunk: terminalOutputChunk,
  plan_update: planUpdate,
  plan_removed: planRemoved,
  state_update: stateUpdate,
  available_commands_update: commandsUpdate,
  current_mode_update: currentModeUpdate,
  modes_update: modesUpdate,
  config_option_update: configOptionUpdate,
  session_info_update: sessionInfoUpdate,
  usage_update: usageUpdate,
  // An event for whoever listens now: no part of what was said.
  notice: () => {},
  compaction_update: compactionUpdate,
  compaction_summary_chunk: compactionSummaryChunk,
};

const isString = (value: unknown) => typeof value === 'string';
const isBlock = (value: unknown) => isJsonObject(value) && isString(value['type']);
const isIdentified = (value: unknown) => isJsonObject(value) && isString(value['planId']);

/** What an update cannot do without. Whoever folds without a connection may hand in anything. */
const essentials: {
  readonly [K in Tag]?: Readonly<Record<string, (value: unknown) => boolean>>;
} = {
  user_message_chunk: { content: isBlock },
  agent_message_chunk: { content: isBlock },
  agent_thought_chunk: { content: isBlock },
  user_message: { messageId: isString },
  agent_message: { messageId: isString },
  agent_thought: { messageId: isString },
  prompt_submitted: { key: isString, content: Array.isArray },
  tool_call: { toolCallId: isString },
  tool_call_update: { toolCallId: isString },
  tool_call_content_chunk: { toolCallId: isString, content: isBlock },
  permission_update: { toolCallId: isString },
  terminal_update: { terminalId: isString },
  terminal_output_chunk: { terminalId: isString, data: isString },
  plan_update: { plan: isIdentified },
  state_update: { state: isString },
  available_commands_update: { availableCommands: Array.isArray },
  current_mode_update: { currentModeId: isString },
  config_option_update: { configOptions: Array.isArray },
  usage_update: { used: Number.isFinite, size: Number.isFinite },
  compaction_update: { compactionId: isString, status: isString },
  compaction_summary_chunk: { compactionId: isString, content: isBlock },
};

interface Step {
  readonly needs: readonly { readonly key: string; readonly holds: (value: unknown) => boolean }[];
  readonly apply: (draft: Draft, update: ConversationUpdate) => void;
}

const steps = new Map<string, Step>(
  Object.entries(transitions).map(([tag, apply]) => {
    const needs = Object.entries(essentials[tag as Tag] ?? {}).map(([key, holds]) => ({ key, holds }));
    // The table is keyed by the tag, so that the update is the one its transition takes.
    return [tag, { needs, apply: apply as Step['apply'] }];
  }),
);

/** Applies one update. Never throws; an update that lacks what it cannot do without changes nothing. */
export function reduce(draft: Draft, update: ConversationUpdate): void {
  const step = steps.get(update.sessionUpdate);
  if (!step) return unknown(draft, update);
  for (const { key, holds } of step.needs) if (!holds(update[key as keyof typeof update])) return;
  step.apply(draft, update);
}

function unknown(draft: Draft, update: ConversationUpdate): void {
  // Beside the wrapped ones there is whatever a recording holds that is folded without a dialect.
  const raw: unknown = update.sessionUpdate === '_unknown' ? update.update : update;
  const tag = isJsonObject(raw) ? raw['sessionUpdate'] : undefined;
  if (!isJsonObject(raw) || typeof tag !== 'string') return;
  draft.append({
    kind: 'unknown',
    key: freeKey(draft, 'unknown'),
    tag,
    raw,
    origin: draft.origin,
  });
}
