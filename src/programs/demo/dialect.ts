import { formatPatch, structuredPatch } from 'diff';
import { demo } from '../../agents/list.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/base/json.ts';
import type { DialectName } from '../../core/protocol/dialect.ts';
import type { Mode } from './session.ts';

/** One way in which the demo agent speaks the protocol. */
export interface Dialect {
  readonly protocolVersion: 1 | 2;
  /** The answer to `initialize`, without the version. */
  readonly description: JsonObject;
  /** Methods that this dialect does not have. */
  readonly missing: readonly string[];
  /** Updates of neutral form that this dialect cannot express. */
  readonly omits: readonly string[];
  /** What an update of neutral form becomes. Others stay as they are. */
  readonly updates: Readonly<Record<string, (update: JsonObject) => readonly JsonObject[]>>;
  /** What a permission request says about a tool call. */
  permission(title: string, toolCall: JsonObject): JsonObject;
  /** What the answer that opens a session says about it. */
  opened(mode: Mode): { readonly configOptions: readonly JsonObject[] };
  modeChanged(mode: Mode): readonly JsonObject[];
}

/** Writes an update, which is given in neutral form. Empty if the dialect cannot express it. */
export function write({ omits, updates }: Dialect, update: JsonObject): readonly JsonObject[] {
  const type = String(update['sessionUpdate']);
  return omits.includes(type) ? [] : (updates[type]?.(update) ?? [update]);
}

const [name = ''] = demo.names;
const info = { name, title: 'ACP demo agent', version: '1.0.0' };

/** Capabilities without details. */
const markers = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]));

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

const modes: readonly { readonly value: Mode; readonly name: string; readonly description: string }[] = [
  { value: 'ask', name: 'Ask first', description: 'Asks before it changes a file.' },
  { value: 'auto', name: 'Go ahead', description: 'Changes files without asking.' },
];

const modeOption = (currentValue: Mode) => {
  const description = 'Whether the agent asks before it changes a file.';
  return { name: 'Mode', description, category: 'mode', type: 'select', currentValue, options: modes };
};

/** Commands that the agent offers. The name of each is a keyword. */
const commands = [
  { name: 'plan', description: 'Show a plan and complete it.', hint: 'what to plan' },
  { name: 'edit', description: 'Ask for permission, then show a changed file.', hint: 'what to change' },
  { name: 'run', description: 'Show a command and its output.', hint: 'what to run' },
  { name: 'image', description: 'Send a picture.', hint: null },
  { name: 'unicode', description: 'Answer in several scripts.', hint: null },
];

/** A tool call, from an update that has its fields. */
function toolCallV1({ sessionUpdate: _, ...call }: JsonObject): JsonObject {
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

const optionsV1 = (mode: Mode) => [{ id: 'mode', ...modeOption(mode) }];

/** A plan that is a document is an update of its own, because some clients take only lists. */
const documentPlan = (update: JsonObject) => [{ ...update, sessionUpdate: 'plan_update' }];

/**
 * A message is a list of chunks, the output of a command is text, and there is no state.
 *
 * @see https://agentclientprotocol.com/protocol/v1/initialization
 */
const v1: Dialect = {
  protocolVersion: 1,
  description: {
    agentInfo: info,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: markers('list', 'resume', 'close', 'delete', 'additionalDirectories', 'options'),
    },
    authMethods: [],
    _meta: { steering: { supported: true } },
  },
  missing: ['session/inject'],
  omits: [
    ...['agent_message', 'agent_thought', 'terminal_update', 'terminal_output_chunk', 'state_update'],
    'replay_complete',
  ],
  updates: {
    user_message: ({ messageId = '', content }) =>
      objects(content).map((block) => ({ sessionUpdate: 'user_message_chunk', messageId, content: block })),
    plan_update: ({ plan = null }) => [
      { sessionUpdate: 'plan', entries: isJsonObject(plan) ? objects(plan['entries']) : [] },
    ],
    plan_document: documentPlan,
    tool_call_update: (update) => {
      const sessionUpdate = update['status'] === 'pending' ? 'tool_call' : 'tool_call_update';
      return [{ ...toolCallV1(update), sessionUpdate }];
    },
    available_commands_update: (update) => {
      const availableCommands = commands.map(({ name, description, hint }) => {
        return { name, description, input: hint && { hint } };
      });
      return [{ ...update, availableCommands }];
    },
  },
  permission: (_, toolCall) => ({ toolCall: toolCallV1(toolCall) }),
  opened: (mode) => {
    const availableModes = modes.map(({ value, ...described }) => ({ id: value, ...described }));
    return { modes: { currentModeId: mode, availableModes }, configOptions: optionsV1(mode) };
  },
  modeChanged: (mode) => [
    { sessionUpdate: 'current_mode_update', currentModeId: mode },
    { sessionUpdate: 'config_option_update', configOptions: optionsV1(mode) },
  ],
};

/** Version 1 for a client that does not take plans other than lists. */
export const v1WithoutDocuments: Dialect = { ...v1, omits: [...v1.omits, 'plan_document'] };

function toolCallV2({ sessionUpdate: _, ...call }: JsonObject): JsonObject {
  const content = objects(call['content']).map(({ output, ...item }): JsonObject => {
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
  return { ...call, ...(call['content'] !== undefined && { content }) };
}

const optionsV2 = (mode: Mode) => [{ configId: 'mode', ...modeOption(mode) }];

const commandsV2 = commands.map(({ name, description, hint }) => {
  return { type: 'command', name, description, ...(hint !== null && { input: { type: 'text', hint } }) };
});

const sessionV2 = {
  prompt: markers('image', 'embeddedContext'),
  mcp: markers('stdio', 'http'),
  ...markers('delete', 'additionalDirectories', 'options'),
  inject: { modes: ['steer'], steerInStream: ['finish'] },
};

const describedV2 = (session: JsonObject) => ({ info, capabilities: { session }, authMethods: [] });

/** @see https://agentclientprotocol.com/protocol/v2/initialization */
const v2Baseline: Dialect = {
  protocolVersion: 2,
  description: describedV2(sessionV2),
  missing: ['session/load', 'session/set_mode', '_session/steering'],
  omits: [],
  updates: {
    plan_document: documentPlan,
    tool_call_update: (update) => [{ ...toolCallV2(update), sessionUpdate: 'tool_call_update' }],
    available_commands_update: (update) => [{ ...update, availableCommands: commandsV2 }],
  },
  permission: (title, call) => ({ title, subject: { type: 'tool_call', toolCall: toolCallV2(call) } }),
  opened: (mode) => ({ configOptions: optionsV2(mode), availableCommands: commandsV2 }),
  modeChanged: (mode) => [{ sessionUpdate: 'config_option_update', configOptions: optionsV2(mode) }],
};

/** The earlier draft of version 2: an agent advertises these methods one by one, and no update ends a replay. */
const v2Markers: Dialect = {
  ...v2Baseline,
  description: describedV2({ ...sessionV2, ...markers('load', 'resume', 'close', 'list') }),
  missing: ['session/set_mode', '_session/steering'],
  omits: ['replay_complete'],
};

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  v1,
  'v2-markers': v2Markers,
  'v2-baseline': v2Baseline,
};
