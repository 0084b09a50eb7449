import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/client/requests/handlers.ts';
import { outline, toolCalls } from '../support/open-session.ts';
import { testBothVersions, until } from './both-versions.ts';
import { connectToOfficial, differences, type Official } from './official.ts';

const cwd = '/home/user/project';
const said = (text: string) => ({ type: 'text', text }) as const;

describe.each(['v2', 'v2-unstable'])('the official SDK as an agent of version 2: %s', (kind) => {
  let official: Official;
  const asked: PermissionRequest[] = [];
  const notes: unknown[] = [];
  const answers = { permission: 'allow' };

  beforeAll(async () => {
    official = await connectToOfficial([kind], {
      terminalLogin: true,
      handlers: {
        requestPermission: (request) => {
          asked.push(request);
          return { outcome: 'selected', optionId: answers.permission };
        },
        elicit: { form: () => ({ action: 'accept', content: { name: 'Ada' } }) },
        extensions: {
          '_client/echo': (params) => ({ got: params }),
          '_client/note': (params) => notes.push(params),
        },
      },
    });
  });
  afterAll(async () => {
    await official.connection.close();
    expect(official.complaints()).toBe('');
  });

  test('initialize: version 2, with the half that is meant for it', async () => {
    const { connection } = official;
    expect([connection.protocolVersion, connection.dialect]).toEqual([2, 'v2-baseline']);
    expect(connection.agentInfo).toEqual({ name: 'official-v2', title: 'Official', version: '2.4.0' });
    const [initialize] = await official.seen();
    expect(initialize?.params).toMatchObject({
      protocolVersion: 2,
      info: { name: 'my-editor', version: '1.0.0' },
      capabilities: { auth: { terminal: {} }, elicitation: { form: {} } },
    });
    expect(connection.authMethods).toMatchObject([
      { methodId: 'key', type: 'agent' },
      { methodId: 'tui', type: 'terminal', args: ['login'], env: { MODE: 'login' } },
    ]);
  });

  test('new: every parameter arrives as it was sent', async () => {
    const mcpServers = [
      { type: 'stdio', name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'A', value: '1' }] },
      { type: 'http', name: 'web', url: 'https://example.com/mcp', headers: [] },
    ] as const;
    const params = { cwd, mcpServers, additionalDirectories: ['/other'], _meta: { traceparent: '00' } };
    const session = await official.connection.newSession(params);
    const { commands, modes, configOptions } = session.conversation;
    expect(commands).toEqual([
      { name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
    ]);
    expect(modes).toBeNull();
    expect(configOptions).toMatchObject([
      { configId: 'model', type: 'select', currentValue: 'small' },
      { configId: 'brave', type: 'boolean', currentValue: false },
    ]);
    const [seen] = await official.seen();
    expect(differences(params, seen?.params)).toEqual([]);
  });

  test('prompt: accepted with an id, ended by the rest, everything folded before', async () => {
    const session = await official.connection.newSession({ cwd });
    await official.seen();
    const blocks = [said('talk'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] as const;
    const turn = session.prompt(blocks, { meta: { x: 1 } });
    expect(await turn.accepted).toEqual({ messageId: 'u0' });
    expect(await turn).toEqual({ stopReason: 'end_turn', messageId: 'u0' });
    const conversation = session.conversation;
    expect(outline(conversation)).toEqual([
      'user: talk|<image>',
      'thought: Hm.',
      't1: completed',
      'agent: Hello there.',
    ]);
    expect(conversation).toMatchObject({
      plans: [{ planId: 'p1', entries: [{ content: 'Answer' }] }],
      usage: { used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
      info: { title: 'Greeting' },
      activity: { state: 'idle', stopReason: 'end_turn' },
    });
    expect(toolCalls(conversation)).toMatchObject([
      {
        title: 'Look',
        toolKind: 'read',
        locations: [{ path: '/a', line: 3 }],
        capabilities: { cancel: {} },
        content: [
          { type: 'diff', patch: { format: 'git_patch' }, changes: [{ operation: 'modify', path: '/a' }] },
        ],
      },
    ]);
    const [seen] = await official.seen();
    expect(
      differences({ sessionId: session.sessionId, prompt: blocks, _meta: { x: 1 } }, seen?.params),
    ).toEqual([]);
  });

  test('terminals of the agent’s are shown, and stopped one by one where they offer it', async () => {
    const session = await official.connection.newSession({ cwd });
    const turn = session.prompt('terminal');
    const shown = () => session.conversation.terminals['x'];
    await until(session, () => shown()?.output !== '' && shown() !== undefined);
    expect(shown()).toMatchObject({ command: 'make', cwd: '/w', capabilities: { cancel: {} } });
    await session.cancelTerminal('x');
    await turn;
    expect(shown()?.output).toBe('building\n');
    expect(shown()).toMatchObject({ exitStatus: { signal: 'SIGTERM' }, capabilities: null });
    await expect(session.cancelTerminal('x')).rejects.toMatchObject({ code: 'usage.capability' });
    expect(outline(session.conversation)).toEqual(['user: terminal', 't3: cancelled']);
  });

  test('tool calls are stopped one by one where they offer it', async () => {
    const session = await official.connection.newSession({ cwd });
    await session.prompt('talk');
    await official.seen();
    await session.cancelToolCall('t1');
    expect(await official.seen()).toEqual([
      { method: 'tool_call/cancel', params: { sessionId: session.sessionId, toolCallId: 't1' } },
    ]);
  });

  test('config options are set, and shown as the agent confirms them; there are no modes', async () => {
    const session = await official.connection.newSession({ cwd });
    await session.setConfigOption('model', 'large');
    await session.setConfigOption('brave', true);
    const { configOptions } = session.conversation;
    expect(configOptions.map(({ currentValue }) => currentValue)).toEqual(['large', true]);
    const seen = (await official.seen()).filter(({ method }) => method.startsWith('session/set'));
    expect(seen.map(({ params }) => [params['type'], params['value']])).toEqual([
      ['id', 'large'],
      ['boolean', true],
    ]);
    await expect(session.setMode('code')).rejects.toMatchObject({ code: 'usage.capability' });
  });

  test('list, load by replay, resume, close and delete', async () => {
    const { connection } = official;
    const session = await connection.newSession({ cwd });
    await session.prompt('talk');
    const listed: string[] = [];
    for await (const { sessionId } of connection.listSessions()) listed.push(sessionId);
    expect(listed).toContain(session.sessionId);
    const { sessionId } = session;
    await session.close();
    const loaded = await connection.loadSession({ sessionId, cwd });
    expect(outline(loaded.conversation)).toEqual(['user: talk', 'agent: Replayed talk']);
    expect(loaded.conversation.entries.every(({ origin }) => origin === 'replay')).toBe(true);
    await loaded.close();
    const resumed = await connection.resumeSession({ sessionId, cwd });
    expect(resumed.conversation.entries).toEqual([]);
    await connection.deleteSession(sessionId);
    await expect(connection.loadSession({ sessionId, cwd })).rejects.toMatchObject({
      code: 'remote.not_found',
    });
    const methods = (await official.seen()).map(({ method, params }) =>
      'replayFrom' in params ? `${method} with replay` : method,
    );
    expect(methods).not.toContain('session/load');
    expect(methods).toContain('session/resume with replay');
    expect(methods).toContain('session/resume');
  });

  test('failures', async () => {
    const session = await official.connection.newSession({ cwd });
    await expect(session.prompt('fail')).rejects.toMatchObject({
      code: 'remote',
      rpcCode: -32603,
      promptAccepted: true,
    });
    expect(session.conversation.activity).toMatchObject({
      state: 'idle',
      error: { code: -32603, message: 'the model is down' },
    });
  });

  testBothVersions({
    official: () => official,
    cwd: () => cwd,
    asked,
    answers,
    notes,
    asks: {
      title: 'May I write?',
      subject: { type: 'tool_call', toolCallId: 't2' },
      toolCall: { toolCallId: 't2', title: 'Write', toolKind: 'edit' },
    },
    unsupported: { server: { type: '_pipe', name: 'x' }, feature: 'session.mcp._pipe' },
    isStable: kind === 'v2',
  });
});
