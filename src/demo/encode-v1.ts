import type { JsonObject } from '../json.ts';
import type { Encoder, UpdateTable } from './encoder.ts';
import { lookUp } from './encoder.ts';
import type { Role, Settings, ToolCall, ToolCallStatus, ToolOutput } from './history.ts';
import { commands, modes, optionBodies } from './settings.ts';

/**
 * Version 1.
 *
 * It has no whole messages, no state and no terminals that the agent owns: a message is a chunk for each block, and
 * what a command printed is text.
 *
 * @see https://agentclientprotocol.com/protocol/v1/prompt-turn
 */
export function encoderV1(client: { readonly booleanOptions: boolean }): Encoder {
  const configOptions = (settings: Settings): readonly JsonObject[] => {
    const { mode, thoughts } = optionBodies(settings);
    const booleans = client.booleanOptions ? [{ id: 'thoughts', ...thoughts }] : [];
    return [{ id: 'mode', ...mode }, ...booleans];
  };
  const table: UpdateTable = {
    ...updates,
    options_changed: ({ settings }) => [
      { sessionUpdate: 'config_option_update', configOptions: configOptions(settings) },
    ],
  };
  return {
    updates: (event) => lookUp(table, event),
    permission: ({ call }) => ({ toolCall: announcement(call) }),
    opened: (settings) => ({ modes: modeState(settings), configOptions: configOptions(settings) }),
    configOptions,
  };
}

const updates: Omit<UpdateTable, 'options_changed'> = {
  message: ({ role, messageId, content }) =>
    content.map((block) => ({ sessionUpdate: chunkTags[role], messageId, content: block })),
  message_chunk: ({ role, messageId, block }) => [
    { sessionUpdate: chunkTags[role], messageId, content: block },
  ],
  tool_call: ({ call }) => {
    if (call.status === 'pending') return [{ sessionUpdate: 'tool_call', ...announcement(call) }];
    const begun: ToolCall = { ...call, status: 'pending', content: [] };
    return [{ sessionUpdate: 'tool_call', ...announcement(begun) }, result(call)];
  },
  tool_call_started: ({ toolCallId }) => [
    { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' },
  ],
  // An update carries the whole content, so it is sent once, with the result.
  tool_call_output: () => [],
  tool_call_finished: ({ call }) => [result(call)],
  command: () => [],
  command_output: () => [],
  command_exited: () => [],
  plan: ({ plan }) => [{ sessionUpdate: 'plan', entries: plan.entries }],
  info: ({ title, updatedAt }) => [{ sessionUpdate: 'session_info_update', title, updatedAt }],
  usage: ({ usage }) => [{ sessionUpdate: 'usage_update', ...usage }],
  commands: () => [{ sessionUpdate: 'available_commands_update', availableCommands: availableCommands() }],
  mode_changed: ({ settings }) => [{ sessionUpdate: 'current_mode_update', currentModeId: settings.mode }],
  state: () => [],
};

const chunkTags: Readonly<Record<Role, string>> = {
  user: 'user_message_chunk',
  agent: 'agent_message_chunk',
  thought: 'agent_thought_chunk',
};

/** Version 1 has no word for a tool call that was called off. */
const statuses: Readonly<Record<ToolCallStatus, string>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

function announcement({
  toolCallId,
  name,
  title,
  kind,
  status,
  locations,
  content,
  rawInput,
}: ToolCall): JsonObject {
  return {
    toolCallId,
    name,
    title,
    kind,
    status: statuses[status],
    locations,
    rawInput,
    ...(content.length > 0 && { content: content.map(toolOutput) }),
  };
}

function result({ toolCallId, status, content, rawOutput }: ToolCall): JsonObject {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: statuses[status],
    content: content.map(toolOutput),
    ...(rawOutput && { rawOutput }),
  };
}

function toolOutput(output: ToolOutput): JsonObject {
  switch (output.type) {
    case 'block':
      return { type: 'content', content: output.block };
    case 'edit':
      return { type: 'diff', path: output.path, oldText: output.oldText, newText: output.newText };
    case 'command':
      return { type: 'content', content: { type: 'text', text: `\`\`\`console\n${output.output}\`\`\`` } };
  }
}

function modeState({ mode }: Settings): JsonObject {
  return {
    currentModeId: mode,
    availableModes: modes.map(({ value, name, description }) => ({ id: value, name, description })),
  };
}

function availableCommands(): readonly JsonObject[] {
  return commands.map(({ name, description, hint }) => ({
    name,
    description,
    input: hint === null ? null : { hint },
  }));
}
