import { PlanItems } from '../both/agent-plan.ts';
import { sharedUpdates } from '../both/methods.ts';
import { newerUpdates } from '../both/newer.ts';
import * as v from '../vocabulary.ts';
import { ContentChunk } from './prompt-turn.ts';
import { ConfigOptionUpdate } from './session-config-options.ts';
import { CurrentModeUpdate } from './session-modes.ts';
import { AvailableCommandsUpdate } from './slash-commands.ts';
import { ToolCall, ToolCallUpdate } from './tool-calls.ts';

/** The one plan of an agent of version 1. Replaces the previous plan. */
export const Plan = v.struct({ entries: PlanItems.entries.entries, _meta: v.meta });
export type Plan = v.InferOutput<typeof Plan>;

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
  ...sharedUpdates,
};

/** The schemas with which updates are read, by their `sessionUpdate`. */
export const updates = { ...publishedUpdates, ...newerUpdates };

/** The official schema is closed. Unknown updates are kept unchanged. */
export const SessionUpdate = v.openVariant('sessionUpdate', publishedUpdates);
export type SessionUpdate = v.InferOutput<typeof SessionUpdate>;

export const SessionNotification = v.struct({ sessionId: v.string(), update: SessionUpdate, _meta: v.meta });
export type SessionNotification = v.InferOutput<typeof SessionNotification>;
