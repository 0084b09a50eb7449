import * as v from 'valibot';
import { Plan, PlanRemoved, PlanUpdate } from '../both/agent-plan.ts';
import { PromptSuggestionsUpdate } from '../both/prompt-suggestions.ts';
import { SessionInfoUpdate } from '../both/session-list.ts';
import {
  CompactionSummaryChunk,
  CompactionUpdate,
  Notice,
  SessionMessage,
  SessionMessageChunk,
  UsageUpdate,
} from '../both/session-updates.ts';
import { SubagentUpdate } from '../both/subagents.ts';
import { CursorUpdate } from '../cursors.ts';
import { meta, openVariant, struct } from '../vocabulary.ts';
import { ContentChunk } from './prompt-turn.ts';
import { ConfigOptionUpdate } from './session-config-options.ts';
import { CurrentModeUpdate } from './session-modes.ts';
import { AvailableCommandsUpdate } from './slash-commands.ts';
import { ToolCall, ToolCallUpdate } from './tool-calls.ts';

/** The schemas of the updates in the official schema, by their `sessionUpdate`. */
const publishedUpdates = {
  user_message_chunk: ContentChunk,
  agent_message_chunk: ContentChunk,
  agent_thought_chunk: ContentChunk,
  tool_call: ToolCall,
  tool_call_update: ToolCallUpdate,
  plan: Plan,
  available_commands_update: AvailableCommandsUpdate,
  current_mode_update: CurrentModeUpdate,
  config_option_update: ConfigOptionUpdate,
  session_info_update: SessionInfoUpdate,
  usage_update: UsageUpdate,
  notice: Notice,
  compaction_update: CompactionUpdate,
  compaction_summary_chunk: CompactionSummaryChunk,
  session_message: SessionMessage,
  session_message_chunk: SessionMessageChunk,
  subagent_update: SubagentUpdate,
  plan_update: PlanUpdate,
  plan_removed: PlanRemoved,
};

/** The schemas with which updates are read, by their `sessionUpdate`. */
export const updates = {
  ...publishedUpdates,
  /**
   * Newer than the published schemas.
   *
   * @experimental
   */
  prompt_suggestions_update: PromptSuggestionsUpdate,
  /** @experimental */
  cursor_update: CursorUpdate,
};

/** The official schema is closed. Unknown updates are kept unchanged. */
export const SessionUpdate = openVariant('sessionUpdate', publishedUpdates);
export type SessionUpdate = v.InferOutput<typeof SessionUpdate>;

export const SessionNotification = struct({ sessionId: v.string(), update: SessionUpdate, _meta: meta });
export type SessionNotification = v.InferOutput<typeof SessionNotification>;
