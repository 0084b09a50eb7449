import { formatPatch, structuredPatch } from 'diff';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { DialectName } from '../../protocol/dialect.ts';
import { commands } from './replies.ts';
import type { Mode } from './session.ts';
import { modeOption, modes } from './updates.ts';

/** One way in which the demo agent speaks the protocol. */
export interface Dialect {
  readonly protocolVersion: 1 | 2;
  /** The answer to `initialize`, without the version. */
  readonly description: JsonObject;
  /** Methods that this dialect does not have. */
  readonly missing: readonly string[];
  /** Writes an update, which is given in neutral form. Empty if the dialect cannot express it. */
  update(update: JsonObject): readonly JsonObject[];
  /** What a permission request says about a tool call. */
  permission(title: string, toolCall: JsonObject): JsonObject;
  configOptions(mode: Mode): readonly JsonObject[];
  /** What the answer that opens a session says about it. */
  opened(mode: Mode): JsonObject;
  modeChanged(mode: Mode): readonly JsonObject[];
  readonly commands: readonly JsonObject[];
}

const info = { name: 'acp-demo-agent', title: 'ACP demo agent', version: '1.0.0' };

type UpdateTable = Readonly<Record<string, (update: JsonObject) => readonly JsonObject[]>>;

/** Writes an update as the table says. Other updates are the same in this version. */
function translate(table: UpdateTable, update: JsonObject): readonly JsonObject[] {
  return table[String(update['sessionUpdate'])]?.(update) ?? [update];
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Version 1. A message is a list of chunks, the output of a command is text, and there is no state. */
const updatesV1: UpdateTable = {
  user_message: ({ messageId = '', content }) =>
    objects(content).map((block) => ({ sessionUpdate: 'user_message_chunk', messageId, content: block })),
  agent_message: () => [],
  agent_thought: () => [],
  plan_update: (update) => {
    const { plan } = update;
    if (!isJsonObject(plan) || plan['type'] !== 'items') return [update];
    return [{ sessionUpdate: 'plan', entries: objects(plan['entries']) }];
  },
  terminal_update: () => [],
  terminal_output_chunk: () => [],
  tool_call_update: (update) => {
    const sessionUpdate = update['status'] === 'pending' ? 'tool_call' : 'tool_call_update';
    return [{ ...toolCallV1(update), sessionUpdate }];
  },
  state_update: () => [],
};

function toolCallV1(call: JsonObject): JsonObject {
  const content = objects(call['content']).flatMap((item) => {
    if (item['type'] !== 'terminal') return [item];
    if (item['output'] === undefined) return [];
    const text = `\`\`\`console\n${item['output']}\`\`\``;
    return [{ type: 'content', content: { type: 'text', text } }];
  });
  return {
    ...call,
    ...(call['status'] === 'cancelled' && { status: 'failed' }),
    ...(call['content'] !== undefined && { content }),
  };
}

const configOptionsV1 = (mode: Mode) => [{ id: 'mode', ...modeOption(mode) }];

/** @see https://agentclientprotocol.com/protocol/v1/initialization */
const v1: Dialect = {
  protocolVersion: 1,
  description: {
    agentInfo: info,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        additionalDirectories: {},
        options: {},
      },
    },
    authMethods: [],
    _meta: { steering: { supported: true } },
  },
  missing: ['session/inject', 'session/revoke_inject'],
  update: (update) => translate(updatesV1, update),
  permission: (_, toolCall) => ({ toolCall: toolCallV1(toolCall) }),
  configOptions: configOptionsV1,
  opened: (mode) => ({
    modes: {
      currentModeId: mode,
      availableModes: modes.map(({ value, ...described }) => ({ id: value, ...described })),
    },
    configOptions: configOptionsV1(mode),
  }),
  modeChanged: (mode) => [
    { sessionUpdate: 'current_mode_update', currentModeId: mode },
    { sessionUpdate: 'config_option_update', configOptions: configOptionsV1(mode) },
  ],
  commands: commands.map(({ name, description, hint }) => ({ name, description, input: hint && { hint } })),
};

/** Version 1 for a client that does not take plans other than lists. */
export const v1WithoutDocuments: Dialect = {
  ...v1,
  update: (update) => v1.update(update).filter(({ sessionUpdate }) => sessionUpdate !== 'plan_update'),
};

function toolCallV2(call: JsonObject): JsonObject {
  if (call['content'] === undefined) return call;
  const content = objects(call['content']).map(({ output: _, ...item }): JsonObject => {
    if (item['type'] !== 'diff') return item;
    // It is absolute, without the prefixes `a/` and `b/`.
    const path = String(item['path']);
    const patch = structuredPatch(path, path, String(item['oldText']), String(item['newText']));
    return {
      type: 'diff',
      changes: [{ operation: 'modify', path, fileType: 'text' }],
      patch: { format: 'git_patch', text: formatPatch({ ...patch, isGit: true }) },
    };
  });
  return { ...call, content };
}

const configOptionsV2 = (mode: Mode) => [{ configId: 'mode', ...modeOption(mode) }];

const commandsV2 = commands.map(({ name, description, hint }) => ({
  type: 'command',
  name,
  description,
  ...(hint !== null && { input: { type: 'text', hint } }),
}));

const sessionV2 = {
  prompt: { image: {}, embeddedContext: {} },
  mcp: { stdio: {}, http: {} },
  delete: {},
  additionalDirectories: {},
  options: {},
  inject: { modes: ['steer'], steerInStream: ['finish'] },
};

const describedV2 = (session: JsonObject) => ({ info, capabilities: { session }, authMethods: [] });

/** @see https://agentclientprotocol.com/protocol/v2/initialization */
const v2Baseline: Dialect = {
  protocolVersion: 2,
  description: describedV2(sessionV2),
  missing: ['session/load', 'session/set_mode', '_session/steering'],
  update: (update) => translate({ tool_call_update: (call) => [toolCallV2(call)] }, update),
  permission: (title, toolCall) => ({
    title,
    subject: { type: 'tool_call', toolCall: toolCallV2(toolCall) },
  }),
  configOptions: configOptionsV2,
  opened: (mode) => ({ configOptions: configOptionsV2(mode), availableCommands: commandsV2 }),
  modeChanged: (mode) => [{ sessionUpdate: 'config_option_update', configOptions: configOptionsV2(mode) }],
  commands: commandsV2,
};

/** The earlier draft of version 2, in which an agent advertises these methods one by one. */
const v2Markers: Dialect = {
  ...v2Baseline,
  description: describedV2({ ...sessionV2, load: {}, resume: {}, close: {}, list: {} }),
  missing: ['session/set_mode', '_session/steering'],
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  v1,
  'v2-markers': v2Markers,
  'v2-baseline': v2Baseline,
};
