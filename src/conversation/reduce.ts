import { isJsonObject } from '../json.ts';
import type { ConversationUpdate, KnownUpdate } from '../model/update.ts';
import { compactionSummaryChunk, compactionUpdate } from './compaction.ts';
import type { Draft } from './draft.ts';
import { freeKey, messageChunk, messageUpdate, promptSettled, promptSubmitted } from './messages.ts';
import { planRemoved, planUpdate, solePlan } from './plans.ts';
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

const isString = (value: unknown) => typeof value === 'string';
const isBlock = (value: unknown) => isJsonObject(value) && isString(value['type']);
const isIdentified = (value: unknown) => isJsonObject(value) && isString(value['planId']);

/** The keys that an update cannot do without, and what they hold. */
type Essentials = Readonly<Record<string, (value: unknown) => boolean>>;

/**
 * What each update does, and what it must hold for that: whoever folds without a connection may hand in anything. A
 * tag without a line here does not compile.
 */
const transitions: { readonly [K in Tag]: readonly [apply: Transition<K>, essentials?: Essentials] } = {
  user_message_chunk: [messageChunk('user'), { content: isBlock }],
  agent_message_chunk: [messageChunk('agent'), { content: isBlock }],
  agent_thought_chunk: [messageChunk('thought'), { content: isBlock }],
  user_message: [messageUpdate('user'), { messageId: isString }],
  agent_message: [messageUpdate('agent'), { messageId: isString }],
  agent_thought: [messageUpdate('thought'), { messageId: isString }],
  prompt_submitted: [promptSubmitted, { key: isString, content: Array.isArray }],
  prompt_settled: [promptSettled],
  tool_call: [toolCallAnnounced, { toolCallId: isString }],
  tool_call_update: [toolCallUpdate, { toolCallId: isString }],
  tool_call_content_chunk: [toolCallContentChunk, { toolCallId: isString, content: isBlock }],
  permission_update: [permissionUpdate, { toolCallId: isString }],
  unfinished_cancelled: [unfinishedCancelled],
  terminal_update: [terminalUpdate, { terminalId: isString }],
  terminal_output_chunk: [terminalOutputChunk, { terminalId: isString, data: isString }],
  plan_update: [planUpdate, { plan: isIdentified }],
  plan: [solePlan, { entries: Array.isArray }],
  plan_removed: [planRemoved],
  state_update: [stateUpdate, { state: isString }],
  available_commands_update: [commandsUpdate, { availableCommands: Array.isArray }],
  current_mode_update: [currentModeUpdate, { currentModeId: isString }],
  modes_update: [modesUpdate],
  config_option_update: [configOptionUpdate, { configOptions: Array.isArray }],
  session_info_update: [sessionInfoUpdate],
  usage_update: [usageUpdate, { used: Number.isFinite, size: Number.isFinite }],
  // An event for whoever listens now: no part of what was said.
  notice: [() => {}],
  compaction_update: [compactionUpdate, { compactionId: isString, status: isString }],
  compaction_summary_chunk: [compactionSummaryChunk, { compactionId: isString, content: isBlock }],
};

interface Step {
  readonly needs: readonly { readonly key: string; readonly holds: (value: unknown) => boolean }[];
  readonly apply: (draft: Draft, update: ConversationUpdate) => void;
}

const steps = new Map<string, Step>(
  Object.entries(transitions).map(([tag, [apply, essentials = {}]]) => {
    const needs = Object.entries(essentials).map(([key, holds]) => ({ key, holds }));
    // The table is keyed by the tag, so that the update is the one its transition takes.
    return [tag, { needs, apply: apply as Step['apply'] }];
  }),
);

/** Applies one update. Never throws; an update that lacks what it cannot do without changes nothing. */
export function reduce(draft: Draft, update: ConversationUpdate): void {
  // Without a dialect it may be anything: `null` as well.
  const step = steps.get(update?.sessionUpdate);
  if (!step) return unknown(draft, update);
  for (const { key, holds } of step.needs) if (!holds(update[key as keyof typeof update])) return;
  step.apply(draft, update);
}

function unknown(draft: Draft, update: ConversationUpdate): void {
  // Beside the wrapped ones there is whatever a recording holds that is folded without a dialect.
  const raw: unknown = update?.sessionUpdate === '_unknown' ? update.update : update;
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
