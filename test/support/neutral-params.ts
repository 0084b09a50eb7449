import fc from 'fast-check';
import type { ContentBlock } from '../../src/core/model/content.ts';
import type { McpServerConfig } from '../../src/core/model/mcp-server.ts';
import type { SystemPrompt } from '../../src/core/model/opening.ts';
import type { CallName, Calls } from '../../src/core/protocol/calls.ts';

/** Generators of valid parameters of each call, independent of the protocol version. */

const id = fc.string({ minLength: 1, maxLength: 12 });
const path = fc.constantFrom('/', '/srv/project', '/home/ada', 'C:\\work', '\\\\server\\share\\project');
const url = fc.constantFrom('https://example.com/mcp', 'http://127.0.0.1:8080/');
const meta = fc.constantFrom({}, { 'example.com/key': { nested: [1, null] } });
const pairs = fc.array(fc.record({ name: id, value: fc.string() }), { maxLength: 2 });

const servers: fc.Arbitrary<McpServerConfig> = fc.oneof(
  fc.record(
    {
      type: fc.constant('stdio' as const),
      name: id,
      command: path,
      args: fc.array(fc.string(), { maxLength: 2 }),
      env: pairs,
      _meta: meta,
    },
    { requiredKeys: ['name', 'command'] },
  ),
  fc.record(
    { type: fc.constantFrom('http' as const, 'sse' as const), name: id, url, headers: pairs, _meta: meta },
    { requiredKeys: ['type', 'name', 'url'] },
  ),
  fc.record({ type: fc.constant('acp' as const), name: id, serverId: id }),
);

const annotations = fc.record(
  {
    audience: fc.subarray(['user', 'assistant']),
    priority: fc.double({ min: 0, max: 1, noNaN: true }),
    lastModified: fc.constant('2026-01-02T03:04:05Z'),
  },
  { requiredKeys: [] },
);

const optional = { annotations, _meta: meta };

export const blocks: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc.record(
    { type: fc.constant('text' as const), text: fc.string(), ...optional },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('image' as const, 'audio' as const),
      data: fc.constant('AAAA'),
      mimeType: id,
      ...optional,
    },
    { requiredKeys: ['type', 'data', 'mimeType'] },
  ),
  fc.record(
    {
      type: fc.constant('resource_link' as const),
      name: id,
      uri: url,
      title: fc.string(),
      size: fc.nat(),
      ...optional,
    },
    { requiredKeys: ['type', 'name', 'uri'] },
  ),
  fc.record(
    {
      type: fc.constant('resource' as const),
      resource: fc.oneof(
        fc.record({ uri: url, text: fc.string() }),
        fc.record({ uri: url, blob: fc.constant('AAAA'), mimeType: id }),
      ),
      ...optional,
    },
    { requiredKeys: ['type', 'resource'] },
  ),
);

const systemPrompt: fc.Arbitrary<SystemPrompt> = fc.record({
  mode: fc.constantFrom('append' as const, 'override' as const),
  content: fc.array(fc.record({ type: fc.constant('text' as const), text: fc.string() }), { minLength: 1 }),
});

const opening = {
  cwd: path,
  mcpServers: fc.array(servers, { maxLength: 3 }),
  additionalDirectories: fc.array(path, { maxLength: 3 }),
  systemPrompt,
  configOptions: fc.array(fc.record({ configId: id, value: fc.oneof(id, fc.boolean()) }), { maxLength: 2 }),
  _meta: meta,
};

const newSession = fc.record(opening, { requiredKeys: ['cwd'] });
const openSession = fc.record({ ...opening, sessionId: id }, { requiredKeys: ['cwd', 'sessionId'] });
const session = { sessionId: id, _meta: meta };
const oneSession = fc.record(session, { requiredKeys: ['sessionId'] });

const prompt = fc.record(
  { sessionId: id, prompt: fc.array(blocks, { minLength: 1, maxLength: 3 }), _meta: meta },
  { requiredKeys: ['sessionId', 'prompt'] },
);

export const neutralParams: { readonly [K in CallName]: fc.Arbitrary<Calls[K][0]> } = {
  newSession,
  loadSession: openSession,
  resumeSession: openSession,
  forkSession: openSession,
  sessionOptions: fc.record(
    { cwd: path, additionalDirectories: fc.array(path, { maxLength: 3 }), sessionId: id, _meta: meta },
    { requiredKeys: ['cwd'] },
  ),
  listSessions: fc.record(
    { cwd: path, cursor: fc.string(), archived: fc.constantFrom('include', 'only', 'exclude'), _meta: meta },
    { requiredKeys: [] },
  ),
  closeSession: oneSession,
  deleteSession: oneSession,
  prompt,
  steer: prompt,
  inject: prompt,
  revoke: fc.record({ ...session, messageId: id }, { requiredKeys: ['sessionId', 'messageId'] }),
  cancel: oneSession,
  setModel: fc.record({ ...session, modelId: id }, { requiredKeys: ['sessionId', 'modelId'] }),
  setMode: fc.record({ ...session, modeId: id }, { requiredKeys: ['sessionId', 'modeId'] }),
  setConfigOption: fc.record(
    { ...session, configId: id, value: fc.oneof(id, fc.boolean()) },
    { requiredKeys: ['sessionId', 'configId', 'value'] },
  ),
  cancelToolCall: fc.record({ ...session, toolCallId: id }, { requiredKeys: ['sessionId', 'toolCallId'] }),
  cancelTerminal: fc.record({ ...session, terminalId: id }, { requiredKeys: ['sessionId', 'terminalId'] }),
  login: fc.record({ methodId: id, _meta: meta }, { requiredKeys: ['methodId'] }),
  logout: fc.record({ _meta: meta }, { requiredKeys: [] }),
};
