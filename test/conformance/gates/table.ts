import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { Feature } from '../../../src/core/protocol/feature.ts';
import { cwd } from '../../support/open-session.ts';
import type { AnyFeature } from './capabilities.ts';

/** What a method needs the agent to advertise, and what each of these parameters needs besides. */
export interface Gate {
  readonly requires: Feature;
  readonly parameters?: Readonly<Partial<Record<ParameterName, AnyFeature>>>;
}

const directories = {
  additionalDirectories: 'session.additionalDirectories',
  'additionalDirectories: []': 'session.additionalDirectories',
} as const;

/** Parameters that open a session, in version 1. */
const open1 = {
  ...directories,
  'mcpServers: stdio': 'session.mcp.stdio',
  'mcpServers: http': 'session.mcp.http',
  'mcpServers: sse': 'session.mcp.sse',
  'mcpServers: acp': 'session.mcp.acp',
  'systemPrompt: append': 'session.systemPrompt',
  'systemPrompt: override': 'session.systemPrompt.override',
  configOptions: 'session.options',
  'configOptions: []': 'session.options',
} as const;

/** Parameters that open a session, in version 2. An agent can have its own MCP transports. */
const open2 = { ...open1, 'mcpServers: _pipe': 'session.mcp._pipe' } as const;

const prompt = {
  'prompt: image': 'session.prompt.image',
  'prompt: audio': 'session.prompt.audio',
  'prompt: resource': 'session.prompt.embeddedContext',
  'prompt: skill first': 'session.prompt.skill',
} as const;

const prompt2 = { ...prompt, 'prompt: skill later': 'session.prompt.skill.inline' } as const;

const content = {
  'content: image': 'session.prompt.image',
  'content: audio': 'session.prompt.audio',
  'content: resource': 'session.prompt.embeddedContext',
} as const;

const version2: Readonly<Record<string, Gate>> = {
  'session/new': { requires: 'session', parameters: open2 },
  'session/resume': { requires: 'session.resume', parameters: { ...open2, replayFrom: 'session.load' } },
  'session/close': { requires: 'session.close' },
  'session/list': { requires: 'session.list', parameters: { archived: 'session.archive' } },
  'session/delete': { requires: 'session.delete' },
  'session/prompt': { requires: 'session', parameters: prompt2 },
  'session/cancel': { requires: 'session' },
  'session/set_config_option': { requires: 'session' },
  'tool_call/cancel': { requires: 'session' },
  'terminal/cancel': { requires: 'session' },
  'auth/login': { requires: 'auth.login' },
  'auth/logout': { requires: 'auth.logout' },
  'session/fork': { requires: 'session.fork', parameters: open2 },
  'session/options': { requires: 'session.options', parameters: directories },
  '_session/steering': { requires: 'session.steer', parameters: prompt },
  'session/inject': { requires: 'session.inject', parameters: content },
  'session/revoke_inject': { requires: 'session.inject' },
  'session/archive': { requires: 'session.archive' },
  'session/unarchive': { requires: 'session.archive' },
  'session/status': { requires: 'session.status' },
  'session/set_title': { requires: 'session.title' },
  'auth/status': { requires: 'auth.status' },
  'providers/list': { requires: 'providers' },
  'providers/set': { requires: 'providers' },
  'providers/disable': { requires: 'providers' },
  'mcp/message': { requires: 'session.mcp.acp' },
};

/**
 * What each method of each dialect needs. Written by hand from the pages of the protocol, and not derived from the
 * descriptors in `src/core/protocol`, which it tests.
 *
 * @see https://agentclientprotocol.com/protocol/v1/session-setup
 * @see https://agentclientprotocol.com/protocol/v2/session-setup
 */
export const methods: Readonly<Record<DialectName, Readonly<Record<string, Gate>>>> = {
  v1: {
    'session/new': { requires: 'session', parameters: open1 },
    'session/load': { requires: 'session.load', parameters: open1 },
    'session/resume': { requires: 'session.resume', parameters: open1 },
    'session/close': { requires: 'session.close' },
    'session/list': { requires: 'session.list', parameters: { archived: 'session.archive' } },
    'session/delete': { requires: 'session.delete' },
    'session/prompt': { requires: 'session', parameters: prompt },
    'session/cancel': { requires: 'session' },
    'session/set_mode': { requires: 'session' },
    'session/set_model': { requires: 'session' },
    'session/set_config_option': { requires: 'session' },
    authenticate: { requires: 'auth.login' },
    logout: { requires: 'auth.logout' },
    'session/fork': { requires: 'session.fork', parameters: open1 },
    'session/options': { requires: 'session.options', parameters: directories },
    '_session/steering': { requires: 'session.steer', parameters: prompt },
    'session/archive': { requires: 'session.archive' },
    'session/unarchive': { requires: 'session.archive' },
    'session/status': { requires: 'session.status' },
    'session/set_title': { requires: 'session.title' },
    'auth/status': { requires: 'auth.status' },
    'providers/list': { requires: 'providers' },
    'providers/set': { requires: 'providers' },
    'providers/disable': { requires: 'providers' },
    'mcp/message': { requires: 'session.mcp.acp' },
  },
  'v2-markers': { ...version2, 'session/load': { requires: 'session.load', parameters: open2 } },
  'v2-baseline': version2,
};

/**
 * The methods that may name the session of a subagent, and what the agent must permit for it. Every other method that
 * names a session is refused for a subagent.
 *
 * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
 */
export const permittedForSubagents: Readonly<Record<string, 'cancel' | 'nothing'>> = {
  'session/cancel': 'cancel',
  'session/status': 'nothing',
};

const hello = { type: 'text', text: 'Hello' } as const;
const session = { sessionId: 's1' };
const opened = { ...session, cwd, mcpServers: [] };

interface Sample {
  /** The least that the method takes, as on the wire. */
  readonly params: JsonObject;
  /** The agent's answer. Absent for a notification. */
  readonly result?: JsonObject;
}

/** A valid call of each method, for both versions of the protocol. */
const samples: Readonly<Record<string, Sample>> = {
  'session/new': { params: { cwd, mcpServers: [] }, result: { sessionId: 's2' } },
  'session/load': { params: opened, result: {} },
  'session/resume': { params: opened, result: {} },
  'session/fork': { params: opened, result: { sessionId: 's3' } },
  'session/options': { params: { cwd }, result: { configOptions: [] } },
  'session/list': { params: {}, result: { sessions: [] } },
  'session/close': { params: session, result: {} },
  'session/delete': { params: session, result: {} },
  'session/archive': { params: session, result: {} },
  'session/unarchive': { params: session, result: {} },
  'session/status': { params: session, result: { status: 'open' } },
  'session/set_title': { params: { ...session, title: 'T' }, result: { title: 'T' } },
  // Version 1 answers with the end of the turn, version 2 with the receipt.
  'session/prompt': {
    params: { ...session, prompt: [hello] },
    result: { stopReason: 'end_turn', messageId: 'u1' },
  },
  '_session/steering': { params: { ...session, prompt: [hello] }, result: { outcome: 'injected' } },
  'session/inject': { params: { ...session, mode: 'steer', content: [hello] }, result: { messageId: 'u2' } },
  'session/revoke_inject': { params: { ...session, messageId: 'u2' }, result: {} },
  'session/cancel': { params: session },
  'session/set_mode': { params: { ...session, modeId: 'code' }, result: {} },
  'session/set_model': { params: { ...session, modelId: 'small' }, result: {} },
  'session/set_config_option': {
    params: { ...session, configId: 'model', value: 'small' },
    result: { configOptions: [] },
  },
  'tool_call/cancel': { params: { ...session, toolCallId: 't1' }, result: {} },
  'terminal/cancel': { params: { ...session, terminalId: 'x' }, result: {} },
  authenticate: { params: { methodId: 'key' }, result: {} },
  'auth/login': { params: { methodId: 'key' }, result: {} },
  logout: { params: {}, result: {} },
  'auth/logout': { params: {}, result: {} },
  'auth/status': { params: {}, result: { state: 'authenticated' } },
  'providers/list': { params: {}, result: { providers: [] } },
  'providers/set': {
    params: { providerId: 'p', apiType: 'openai', baseUrl: 'https://example.com' },
    result: {},
  },
  'providers/disable': { params: { providerId: 'p' }, result: {} },
  'mcp/message': { params: { serverId: 'x', requestId: '1', method: 'ping' } },
};

export function sampleOf(dialect: DialectName, method: string): Sample {
  const sample = samples[method];
  if (!sample) throw new Error(`There is no sample of ${method}.`);
  if (method !== 'session/set_config_option' || dialect === 'v1') return sample;
  return { ...sample, params: { ...sample.params, type: 'id' } };
}

const url = { name: 'm', url: 'https://example.com', headers: [] };

const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' };
const resource = { type: 'resource', resource: { uri: 'file:///a', text: 'a' } };

const skill = { type: 'skill', name: 'pdf' };

/** The commands of a session with this skill. */
export const availableCommands = [{ ...skill, description: 'Reads a document' }];

/** A value of each parameter, as on the wire. */
const parameters = {
  additionalDirectories: { additionalDirectories: ['/other'] },
  'additionalDirectories: []': { additionalDirectories: [] },
  'mcpServers: stdio': {
    mcpServers: [{ type: 'stdio', name: 'm', command: '/bin/m', args: [], env: [] }],
  },
  'mcpServers: http': { mcpServers: [{ type: 'http', ...url }] },
  'mcpServers: sse': { mcpServers: [{ type: 'sse', ...url }] },
  'mcpServers: acp': { mcpServers: [{ type: 'acp', name: 'm', serverId: 'x' }] },
  'mcpServers: _pipe': { mcpServers: [{ type: '_pipe', name: 'm' }] },
  'systemPrompt: append': { systemPrompt: { mode: 'append', content: [hello] } },
  'systemPrompt: override': { systemPrompt: { mode: 'override', content: [hello] } },
  configOptions: { configOptions: [{ configId: 'fast', type: 'boolean', value: true }] },
  'configOptions: []': { configOptions: [] },
  'prompt: image': { prompt: [hello, image] },
  'prompt: audio': { prompt: [hello, audio] },
  'prompt: resource': { prompt: [hello, resource] },
  'prompt: skill first': { prompt: [skill, hello] },
  'prompt: skill later': { prompt: [hello, skill] },
  'content: image': { content: [hello, image] },
  'content: audio': { content: [hello, audio] },
  'content: resource': { content: [hello, resource] },
  archived: { archived: 'only' },
  replayFrom: { replayFrom: { type: 'start' } },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type ParameterName = keyof typeof parameters;

/** The value of a parameter, as on the wire of the dialect. */
export function parameterOf(dialect: DialectName, name: ParameterName): JsonObject {
  if (dialect !== 'v1' || name !== 'mcpServers: stdio') return parameters[name];
  // Version 1 has the stdio transport without a type.
  return { mcpServers: parameters[name].mcpServers.map(({ type: _, ...server }) => server) };
}
