import * as v from 'valibot';
import { clientNotification } from '../method.ts';
import { jsonObject, meta, openVariant, struct } from '../vocabulary.ts';
import { PlanRemoved, PlanUpdate } from './agent-plan.ts';
import {
  AgentMessage,
  AgentThought,
  CompactionSummaryChunk,
  CompactionUpdate,
  ContentChunk,
  Notice,
  StateUpdate,
  UsageUpdate,
  UserMessage,
} from './prompt-lifecycle.ts';
import { ConfigOptionUpdate } from './session-config-options.ts';
import { SessionInfoUpdate } from './session-list.ts';
import { AvailableCommandsUpdate } from './slash-commands.ts';
import { TerminalOutputChunk, TerminalUpdate, ToolCallContentChunk, ToolCallUpdate } from './tool-calls.ts';

/** What each `session/update` holds, by its tag. */
export const updates = {
  user_message_chunk: ContentChunk,
  user_message: UserMessage,
  agent_message_chunk: ContentChunk,
  agent_message: AgentMessage,
  agent_thought_chunk: ContentChunk,
  agent_thought: AgentThought,
  state_update: StateUpdate,
  tool_call_update: ToolCallUpdate,
  tool_call_content_chunk: ToolCallContentChunk,
  terminal_update: TerminalUpdate,
  terminal_output_chunk: TerminalOutputChunk,
  plan_update: PlanUpdate,
  /** @experimental */
  plan_removed: PlanRemoved,
  available_commands_update: AvailableCommandsUpdate,
  config_option_update: ConfigOptionUpdate,
  session_info_update: SessionInfoUpdate,
  usage_update: UsageUpdate,
  notice: Notice,
  compaction_update: CompactionUpdate,
  compaction_summary_chunk: CompactionSummaryChunk,
};

export const SessionUpdate = openVariant('sessionUpdate', updates);
export type SessionUpdate = v.InferOutput<typeof SessionUpdate>;

export const UpdateSessionNotification = struct({
  sessionId: v.string(),
  update: SessionUpdate,
  _meta: meta,
});
export type UpdateSessionNotification = v.InferOutput<typeof UpdateSessionNotification>;

/**
 * The update itself is read by the dialect's `normalize`, which does not copy what it need not.
 *
 * @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#3-agent-reports-output
 */
export const sessionUpdate = clientNotification({
  method: 'session/update',
  params: struct({ sessionId: v.string(), update: jsonObject, _meta: meta }),
});
