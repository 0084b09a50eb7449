import type { JsonObject } from '../../src/json.ts';
import type { Dialect } from '../../src/protocol/dialect.ts';
import type { CustomFeature, Feature } from '../../src/protocol/feature.ts';
import type { AgentMethod } from '../../src/protocol/method.ts';
import { cwd } from '../support/open-session.ts';

const said = { type: 'text', text: 'Hello' };
const session = { sessionId: 's1' };

interface Sample {
  /** The least that the method takes, as it is on the wire. */
  readonly params: JsonObject;
  /** What an agent answers; absent for a notification. */
  readonly result?: JsonObject;
}

/** A sound call of each method. Where versions differ, the dialect says. */
const samples: Readonly<Record<string, Sample | ((dialect: Dialect) => Sample)>> = {
  'session/new': { params: { cwd, mcpServers: [] }, result: { sessionId: 's2' } },
  'session/load': { params: { ...session, cwd, mcpServers: [] }, result: {} },
  'session/resume': { params: { ...session, cwd, mcpServers: [] }, result: {} },
  'session/fork': { params: { ...session, cwd, mcpServers: [] }, result: { sessionId: 's3' } },
  'session/list': { params: {}, result: { sessions: [] } },
  'session/close': { params: session, result: {} },
  'session/delete': { params: session, result: {} },
  'session/archive': { params: session, result: {} },
  'session/unarchive': { params: session, result: {} },
  'session/status': { params: session, result: { status: 'open' } },
  'session/set_title': { params: { ...session, title: 'T' }, result: { title: 'T' } },
  'session/prompt': ({ protocolVersion }) => ({
    params: { ...session, prompt: [said] },
    result: protocolVersion === 1 ? { stopReason: 'end_turn' } : { messageId: 'u1' },
  }),
  'session/cancel': { params: session },
  'session/set_mode': { params: { ...session, modeId: 'code' }, result: {} },
  'session/set_config_option': ({ protocolVersion }) => ({
    params: { ...session, configId: 'model', value: 'small', ...(protocolVersion === 2 && { type: 'id' }) },
    result: { configOptions: [] },
  }),
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

export function sampleOf(dialect: Dialect, { method }: AgentMethod): Sample {
  const sample = Object.hasOwn(samples, method) ? samples[method] : undefined;
  if (!sample) throw new Error(`There is no sample of ${method}: write one, and its gates are tested.`);
  return typeof sample === 'function' ? sample(dialect) : sample;
}

/** A parameter that needs a feature, on the wire of a dialect. */
export interface GatedParameter {
  readonly feature: Feature | CustomFeature;
  readonly params: (dialect: Dialect) => JsonObject;
}

const typed = ({ protocolVersion }: Dialect, type: string) => (protocolVersion === 1 ? {} : { type });
const systemPrompt = (mode: string) => () => ({ systemPrompt: { mode, content: [said] } });
const blocks = (block: JsonObject) => () => ({ prompt: [said, block] });
const server = (type: string) => () => ({
  mcpServers: [{ type, name: 'm', url: 'https://example.com', headers: [] }],
});

export const gatedParameters: readonly GatedParameter[] = [
  { feature: 'session.additionalDirectories', params: () => ({ additionalDirectories: ['/other'] }) },
  { feature: 'session.additionalDirectories', params: () => ({ additionalDirectories: [] }) },
  {
    feature: 'session.mcp.stdio',
    params: (dialect) => ({
      mcpServers: [{ ...typed(dialect, 'stdio'), name: 'm', command: '/bin/m', args: [], env: [] }],
    }),
  },
  { feature: 'session.mcp.http', params: server('http') },
  { feature: 'session.mcp.sse', params: server('sse') },
  {
    feature: 'session.mcp.acp',
    params: () => ({ mcpServers: [{ type: 'acp', name: 'm', serverId: 'x' }] }),
  },
  { feature: 'session.mcp._pipe', params: () => ({ mcpServers: [{ type: '_pipe', name: 'm' }] }) },
  { feature: 'session.systemPrompt', params: systemPrompt('append') },
  { feature: 'session.systemPrompt.override', params: systemPrompt('override') },
  { feature: 'session.prompt.image', params: blocks({ type: 'image', data: 'AA==', mimeType: 'image/png' }) },
  { feature: 'session.prompt.audio', params: blocks({ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }) },
  {
    feature: 'session.prompt.embeddedContext',
    params: blocks({ type: 'resource', resource: { uri: 'file:///a', text: 'a' } }),
  },
  { feature: 'session.archive', params: () => ({ archived: 'only' }) },
  { feature: 'session.load', params: () => ({ replayFrom: { type: 'start' } }) },
];
