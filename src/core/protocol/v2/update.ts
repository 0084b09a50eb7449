import { sharedUpdates } from '../both/methods.ts';
import { newerUpdates } from '../both/newer.ts';
import { ReceivedStateUpdate, StateUpdate } from '../both/state.ts';
import * as v from '../vocabulary.ts';
import { AgentMessage, AgentThought, ContentChunk, UserMessage } from './prompt-lifecycle.ts';
import { ConfigOptionUpdate } from './session-config-options.ts';
import { AvailableCommandsUpdate } from './slash-commands.ts';
import { TerminalOutputChunk, TerminalUpdate, ToolCallContentChunk, ToolCallUpdate } from './tool-calls.ts';

/** The schemas of the updates in the official schema, by their `sessionUpdate`. */
const officialUpdates = {
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
  available_commands_update: AvailableCommandsUpdate,
  config_option_update: ConfigOptionUpdate,
  ...sharedUpdates,
};

/** The schemas with which updates are read, by their `sessionUpdate`. */
export const updates = {
  ...officialUpdates,
  /** @see https://agentclientprotocol.com/rfds/v2/session-replay-complete */
  replay_complete: v.empty,
  ...newerUpdates,
  state_update: ReceivedStateUpdate,
};

export const SessionUpdate = v.openVariant('sessionUpdate', officialUpdates);
export type SessionUpdate = v.InferOutput<typeof SessionUpdate>;

export const UpdateSessionNotification = v.struct({
  sessionId: v.string(),
  update: SessionUpdate,
  _meta: v.meta,
});
export type UpdateSessionNotification = v.InferOutput<typeof UpdateSessionNotification>;
