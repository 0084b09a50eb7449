import type { JsonObject } from '../json.ts';
import type { Encoder, UpdateTable } from './encoder.ts';
import { lookUp } from './encoder.ts';
import { gitPatch } from './git-patch.ts';
import type { CommandRun, Role, Settings, ToolCall, ToolOutput } from './history.ts';
import { commands, optionBodies } from './settings.ts';

/**
 * Version 2.
 *
 * @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle
 */
export const encoderV2: Encoder = {
  updates: (event) => lookUp(updates, event),
  permission: ({ title, description, call }) => ({
    title,
    description,
    subject: { type: 'tool_call', toolCall: toolCall(call) },
  }),
  opened: (settings) => ({
    configOptions: configOptions(settings),
    availableCommands: availableCommands(),
  }),
  configOptions,
};

const updates: UpdateTable = {
  message: ({ role, messageId, content }) => [{ sessionUpdate: messageTags[role], messageId, content }],
  message_chunk: ({ role, messageId, block }) => [
    { sessionUpdate: `${messageTags[role]}_chunk`, messageId, content: block },
  ],
  tool_call: ({ call }) => [{ sessionUpdate: 'tool_call_update', ...toolCall(call) }],
  tool_call_started: ({ toolCallId }) => [
    { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' },
  ],
  tool_call_output: ({ toolCallId, output }) => [
    { sessionUpdate: 'tool_call_content_chunk', toolCallId, content: toolOutput(output) },
  ],
  // The content has come in chunks: left out, it stays.
  tool_call_finished: ({ call: { toolCallId, status, rawOutput } }) => [
    { sessionUpdate: 'tool_call_update', toolCallId, status, ...(rawOutput && { rawOutput }) },
  ],
  command: ({ run }) => [{ sessionUpdate: 'terminal_update', ...terminal(run) }],
  command_output: ({ terminalId, text }) =>
    halves(Buffer.from(text)).map((half) => ({
      sessionUpdate: 'terminal_output_chunk',
      terminalId,
      data: half.toString('base64'),
    })),
  command_exited: ({ terminalId, exitCode }) => [
    { sessionUpdate: 'terminal_update', terminalId, exitStatus: { exitCode } },
  ],
  plan: ({ plan: { planId, entries } }) => [
    { sessionUpdate: 'plan_update', plan: { type: 'items', planId, entries } },
  ],
  info: ({ title, updatedAt }) => [{ sessionUpdate: 'session_info_update', title, updatedAt }],
  usage: ({ usage }) => [{ sessionUpdate: 'usage_update', ...usage }],
  commands: () => [{ sessionUpdate: 'available_commands_update', availableCommands: availableCommands() }],
  mode_changed: () => [],
  options_changed: ({ settings }) => [
    { sessionUpdate: 'config_option_update', configOptions: configOptions(settings) },
  ],
  state: ({ type: _, ...state }) => [{ sessionUpdate: 'state_update', ...state }],
};

const messageTags: Readonly<Record<Role, string>> = {
  user: 'user_message',
  agent: 'agent_message',
  thought: 'agent_thought',
};

function toolCall({ step: _, content, rawOutput, ...call }: ToolCall): JsonObject {
  return { ...call, content: content.map(toolOutput), ...(rawOutput && { rawOutput }) };
}

function toolOutput(output: ToolOutput): JsonObject {
  switch (output.type) {
    case 'block':
      return { type: 'content', content: output.block };
    case 'edit': {
      const operation = output.oldText === null ? 'add' : 'modify';
      return {
        type: 'diff',
        changes: [{ operation, path: output.path, fileType: 'text' }],
        patch: { format: 'git_patch', text: gitPatch(output) },
      };
    }
    case 'command':
      return { type: 'terminal', terminalId: output.terminalId };
  }
}

/** What has not happened yet is left out, and so stays unknown. */
function terminal({ terminalId, command, cwd, output, exitCode }: CommandRun): JsonObject {
  return {
    terminalId,
    command,
    cwd,
    ...(output !== '' && { output: { data: base64(output) } }),
    ...(exitCode !== null && { exitStatus: { exitCode } }),
  };
}

function configOptions(settings: Settings): readonly JsonObject[] {
  const { mode, thoughts } = optionBodies(settings);
  return [
    { configId: 'mode', ...mode },
    { configId: 'thoughts', ...thoughts },
  ];
}

function availableCommands(): readonly JsonObject[] {
  return commands.map(({ name, description, hint }) => ({
    type: 'command',
    name,
    description,
    ...(hint !== null && { input: { type: 'text', hint } }),
  }));
}

/** Output comes in pieces of bytes, and a piece may end inside a character. */
function halves(bytes: Buffer): readonly Buffer[] {
  const middle = Math.floor(bytes.length / 2);
  return middle === 0 ? [bytes] : [bytes.subarray(0, middle), bytes.subarray(middle)];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
