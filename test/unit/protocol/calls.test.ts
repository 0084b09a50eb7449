import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { issuesIn } from '../../../src/base/issue.ts';
import type { McpServer } from '../../../src/model/mcp-server.ts';
import type { CallName, Calls } from '../../../src/protocol/calls.ts';
import type { Dialect } from '../../../src/protocol/dialect.ts';
import { v1 } from '../../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/protocol/v2/index.ts';

function callOf<K extends CallName>(dialect: Dialect, name: K) {
  const call = dialect.calls[name];
  if (!call) throw new Error(`${dialect.name} has no ${name}`);
  return call;
}

/** What goes over the wire for a call, the features it needs, and what is wrong with it. */
function sent<K extends CallName>(dialect: Dialect, name: K, input: Calls[K][0]) {
  const { descriptor, encode } = callOf(dialect, name);
  const result = v.safeParse(descriptor.params, encode(input));
  if (!result.success) return { issues: issuesIn(result.issues, 'params') };
  return {
    method: descriptor.method,
    params: result.output,
    features: [descriptor.requires, ...descriptor.uses(result.output)],
  };
}

/** What a call gives for an answer of the agent's, or `undefined` where the answer is malformed. */
function answered(dialect: Dialect, name: CallName, answer: unknown): unknown {
  const { descriptor, decode } = callOf(dialect, name);
  const result = v.safeParse(descriptor.result as v.GenericSchema, answer);
  return result.success ? { output: decode(result.output) } : undefined;
}

const all = [v1, v2Baseline, v2Markers];
const stdio: McpServer = { name: 'files', command: '/bin/files' };

describe('opening a session', () => {
  it('sends a list of servers, whole, even where there is none', () => {
    expect(sent(v1, 'newSession', { cwd: '/a' }).params).toStrictEqual({ cwd: '/a', mcpServers: [] });
    expect(sent(v1, 'newSession', { cwd: '/a', mcpServers: [stdio] }).params).toStrictEqual({
      cwd: '/a',
      mcpServers: [{ name: 'files', command: '/bin/files', args: [], env: [] }],
    });
  });

  it('names the stdio transport in version 2, and not in version 1', () => {
    for (const server of [stdio, { ...stdio, type: 'stdio' as const }]) {
      const expected = { name: 'files', command: '/bin/files', args: [], env: [] };
      expect(sent(v1, 'newSession', { cwd: '/a', mcpServers: [server] }).params).toStrictEqual({
        cwd: '/a',
        mcpServers: [expected],
      });
      expect(sent(v2Baseline, 'newSession', { cwd: '/a', mcpServers: [server] }).params).toStrictEqual({
        cwd: '/a',
        mcpServers: [{ ...expected, type: 'stdio' }],
      });
    }
  });

  it('sends no key without a value', () => {
    const input = { cwd: '/a', mcpServers: undefined, additionalDirectories: undefined, _meta: undefined };
    const params = sent(v1, 'newSession', input as never).params as object;
    expect(Object.keys(params).sort()).toEqual(['cwd', 'mcpServers']);
  });

  it.each(all)('lists each further directory once, and not the first, in $name', (dialect) => {
    const directories = { cwd: '/a', additionalDirectories: ['/b', '/a', '/b', '/c'] };
    expect(sent(dialect, 'newSession', directories)).toMatchObject({
      params: { additionalDirectories: ['/b', '/c'] },
      features: ['session', 'session.additionalDirectories'],
    });
    expect(sent(dialect, 'newSession', { cwd: '/a', additionalDirectories: ['/a'] })).toStrictEqual({
      method: 'session/new',
      params: { cwd: '/a', mcpServers: [] },
      features: ['session'],
    });
  });

  it.each(all)('needs the feature of every transport, and of the system prompt, in $name', (dialect) => {
    const mcpServers: readonly McpServer[] = [
      stdio,
      { type: 'http', name: 'web', url: 'https://example.com' },
      { type: 'sse', name: 'old', url: 'https://example.com' },
      { type: 'acp', name: 'own', serverId: '1' },
    ];
    const systemPrompt = { mode: 'override', content: [{ type: 'text', text: 'a' }] } as const;
    expect(
      sent(dialect, 'forkSession', { sessionId: 's', cwd: '/a', mcpServers, systemPrompt }).features,
    ).toEqual([
      'session.fork',
      'session.mcp.stdio',
      'session.mcp.http',
      'session.mcp.sse',
      'session.mcp.acp',
      'session.systemPrompt',
      'session.systemPrompt.override',
    ]);
  });

  it("gates a transport of the agent's own in version 2, and refuses it in version 1", () => {
    const input = { cwd: '/a', mcpServers: [{ type: '_pipe', name: 'p', path: '/tmp/p' }] } as const;
    expect(sent(v2Baseline, 'newSession', input)).toMatchObject({
      params: { mcpServers: [{ type: '_pipe', name: 'p', path: '/tmp/p' }] },
      features: ['session', 'session.mcp._pipe'],
    });
    expect(sent(v1, 'newSession', input).issues).toEqual([
      { path: 'params.mcpServers.0.type', message: expect.stringContaining('version 1') },
    ]);
    const unmarked = { cwd: '/a', mcpServers: [{ type: 'pipe', name: 'p' }] } as never;
    expect(sent(v2Baseline, 'newSession', unmarked).issues).toMatchObject([
      { path: 'params.mcpServers.0.type' },
    ]);
  });

  it.each(all)('takes no path that is not absolute, in $name', (dialect) => {
    const input = { cwd: 'a', additionalDirectories: [''], mcpServers: [{ name: 'x', command: 'npx' }] };
    expect(
      sent(dialect, 'newSession', input)
        .issues?.map(({ path }) => path)
        .sort(),
    ).toEqual(['params.additionalDirectories.0', 'params.cwd', 'params.mcpServers.0.command']);
    expect(sent(dialect, 'listSessions', { cwd: '.' }).issues).toMatchObject([{ path: 'params.cwd' }]);
  });
});

describe('loading a session', () => {
  const input = { sessionId: 's', cwd: '/a' };

  it.each([
    { dialect: v1, method: 'session/load', more: {} },
    { dialect: v2Markers, method: 'session/load', more: {} },
    { dialect: v2Baseline, method: 'session/resume', more: { replayFrom: { type: 'start' } } },
  ])('is $method in $dialect.name', ({ dialect, method, more }) => {
    expect(sent(dialect, 'loadSession', input)).toEqual({
      method,
      params: { ...input, mcpServers: [], ...more },
      features: ['session.load'],
    });
  });

  it('is what a raw resume with replay needs', () => {
    const resume = v2Baseline.agentMethods['session/resume'];
    expect(resume?.requires).toBe('session.resume');
    expect(resume?.uses({ ...input, replayFrom: { type: 'start' } })).toEqual(['session.load']);
    expect(resume?.uses({ ...input, replayFrom: null })).toEqual([]);
    expect(v2Baseline.agentMethods['session/load']).toBeUndefined();
  });

  it.each(all)('may be answered with nothing, in $name', (dialect) => {
    for (const answer of [null, {}]) {
      expect(answered(dialect, 'loadSession', answer)).toEqual({ output: {} });
      expect(answered(dialect, 'resumeSession', answer)).toEqual({ output: {} });
    }
    expect(answered(dialect, 'loadSession', 5)).toBeUndefined();
  });

  it('gives the modes and options of version 1', () => {
    const modes = { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }, 5] };
    const option = { name: 'Fast', type: 'boolean', currentValue: true };
    const answer = { modes, configOptions: [{ ...option, id: 'f' }] };
    expect(answered(v1, 'loadSession', answer)).toEqual({
      output: {
        modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] },
        configOptions: [{ ...option, configId: 'f' }],
      },
    });
    expect(answered(v1, 'newSession', { sessionId: 's', modes: null, configOptions: null })).toEqual({
      output: { sessionId: 's', modes: null, configOptions: null },
    });
  });

  it('gives the models of version 1', () => {
    const model = { modelId: 'm', name: 'M', description: null };
    const models = { currentModelId: 'm', availableModels: [model, { modelId: 5 }] };
    const read = { currentModelId: 'm', availableModels: [model] };
    for (const name of ['newSession', 'loadSession', 'resumeSession', 'forkSession'] as const) {
      expect(answered(v1, name, { sessionId: 's', models })).toEqual({
        output: { sessionId: 's', models: read },
      });
      expect(answered(v1, name, { sessionId: 's', models: null })).toEqual({
        output: { sessionId: 's', models: null },
      });
      for (const malformed of [{}, 5, { availableModels: [model] }]) {
        expect(answered(v1, name, { sessionId: 's', models: malformed })).toEqual({
          output: { sessionId: 's' },
        });
      }
    }
  });

  it('gives the commands and options of version 2, also as earlier drafts spelled them', () => {
    const option = { name: 'Fast', type: 'boolean', currentValue: true };
    const command = { name: 'a', description: 'A' };
    const output = { configOptions: [{ ...option, configId: 'f' }], commands: [command] };
    for (const answer of [
      { configOptions: [{ ...option, configId: 'f' }], availableCommands: [{ ...command, type: 'command' }] },
      { configOptions: [{ ...option, id: 'f' }], availableCommands: [command] },
    ]) {
      expect(answered(v2Baseline, 'resumeSession', answer)).toEqual({ output });
    }
  });
});

describe('a prompt', () => {
  const prompt = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
    { type: 'resource_link', name: 'a', uri: 'file:///a' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ] as const;

  it.each(all)('needs the features of its blocks in $name', (dialect) => {
    expect(sent(dialect, 'prompt', { sessionId: 's', prompt, _meta: { traceparent: 'x' } })).toEqual({
      method: 'session/prompt',
      params: { sessionId: 's', prompt, _meta: { traceparent: 'x' } },
      features: ['session', 'session.prompt.image', 'session.prompt.audio', 'session.prompt.embeddedContext'],
    });
  });

  it.each(all)('must have something in it in $name', (dialect) => {
    expect(sent(dialect, 'prompt', { sessionId: 's', prompt: [] }).issues).toEqual([
      { path: 'params.prompt', message: 'must have at least one item' },
    ]);
  });

  it('may have blocks of other types in version 2 alone', () => {
    const input = { sessionId: 's', prompt: [{ type: '_sketch', strokes: [] }] } as const;
    expect(sent(v1, 'prompt', input).issues).toMatchObject([{ path: 'params.prompt.0.type' }]);
    expect(sent(v2Baseline, 'prompt', input)).toMatchObject({ features: ['session'] });
  });

  it('is answered with the end of the turn in version 1', () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    expect(answered(v1, 'prompt', { stopReason: 'bored', usage })).toEqual({
      output: { stopReason: 'bored', usage },
    });
    for (const none of [5, null, {}, { totalTokens: 'many' }]) {
      expect(answered(v1, 'prompt', { stopReason: 'end_turn', usage: none })).toEqual({
        output: { stopReason: 'end_turn' },
      });
    }
    expect(answered(v1, 'prompt', {})).toBeUndefined();
  });

  it.each(all)('may report its usage in part, in $name', (dialect) => {
    const usage = {
      inputTokens: 1,
      outputTokens: -2,
      cachedReadTokens: 3,
      thoughtTokens: null,
      _meta: { k: 1 },
    };
    expect(answered(dialect, 'prompt', { stopReason: 'end_turn', usage })).toEqual({
      output: {
        stopReason: 'end_turn',
        usage: {
          totalTokens: null,
          inputTokens: 1,
          outputTokens: null,
          cachedReadTokens: 3,
          _meta: { k: 1 },
        },
      },
    });
  });

  it.each([{}, { messageId: 'm' }, { stopReason: 'end_turn' }])(
    'may be answered with %o in version 2',
    (answer) => {
      expect(answered(v2Baseline, 'prompt', answer)).toEqual({ output: answer });
    },
  );
});

describe('setting the model', () => {
  it('has a method in version 1 alone', () => {
    expect(sent(v1, 'setModel', { sessionId: 's', modelId: 'm' })).toEqual({
      method: 'session/set_model',
      params: { sessionId: 's', modelId: 'm' },
      features: ['session'],
    });
    expect(v2Baseline.calls.setModel).toBeUndefined();
    expect(v2Markers.calls.setModel).toBeUndefined();
  });
});

describe('setting an option', () => {
  it('says the type of the value where the version asks for it', () => {
    const text = { sessionId: 's', configId: 'c', value: 'a' };
    const flag = { sessionId: 's', configId: 'c', value: true };
    expect(sent(v1, 'setConfigOption', text).params).toEqual(text);
    expect(sent(v1, 'setConfigOption', flag).params).toEqual({ ...flag, type: 'boolean' });
    expect(sent(v2Baseline, 'setConfigOption', text).params).toEqual({ ...text, type: 'id' });
    expect(sent(v2Baseline, 'setConfigOption', flag).params).toEqual({ ...flag, type: 'boolean' });
  });

  it.each(all)('may be answered with nothing, in $name', (dialect) => {
    expect(answered(dialect, 'setConfigOption', {})).toEqual({ output: {} });
    expect(answered(dialect, 'setConfigOption', { configOptions: [] })).toEqual({
      output: { configOptions: [] },
    });
  });
});

describe('a page of sessions', () => {
  const session = { sessionId: 's', cwd: '/a' };

  it.each(all)('is the last without a cursor, and an empty cursor is one, in $name', (dialect) => {
    const page = (nextCursor: object) =>
      answered(dialect, 'listSessions', { sessions: [session, 5], ...nextCursor });
    expect(page({})).toEqual({ output: { sessions: [session] } });
    expect(page({ nextCursor: null })).toEqual({ output: { sessions: [session] } });
    expect(page({ nextCursor: '' })).toEqual({ output: { sessions: [session], nextCursor: '' } });
  });

  it('takes null for no further directories', () => {
    const answer = { sessions: [{ ...session, additionalDirectories: null }] };
    for (const dialect of all) {
      expect(answered(dialect, 'listSessions', answer)).toStrictEqual({ output: { sessions: [session] } });
    }
  });

  it('needs the archive to be filtered by it', () => {
    expect(sent(v1, 'listSessions', { archived: 'only' }).features).toEqual([
      'session.list',
      'session.archive',
    ]);
  });
});

describe('calls whose answer says nothing', () => {
  it.each(all)('take any answer in $name', (dialect) => {
    for (const name of ['closeSession', 'deleteSession', 'login', 'logout'] as const) {
      for (const answer of [null, {}, { odd: 1 }]) {
        expect(answered(dialect, name, answer)).toEqual({ output: undefined });
      }
    }
  });
});

describe('what a version does not have', () => {
  it('is no call of it', () => {
    expect(v1.calls.cancelToolCall).toBeUndefined();
    expect(v1.calls.cancelTerminal).toBeUndefined();
    for (const dialect of [v2Baseline, v2Markers]) {
      expect(dialect.calls.setMode).toBeUndefined();
      const names = Object.keys(dialect.agentMethods);
      for (const gone of ['session/set_mode', 'authenticate', 'logout']) expect(names).not.toContain(gone);
    }
  });
});
