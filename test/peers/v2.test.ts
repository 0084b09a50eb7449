import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/client/requests/handlers.ts';
import type { Session } from '../../src/client/session/session.ts';
import { outline, toolCalls } from '../support/open-session.ts';
import { testBothVersions } from './both-versions.ts';
import { connectToOfficial, differences, type Official } from './official.ts';

const cwd = '/home/user/project';
const said = (text: string) => ({ type: 'text', text }) as const;

/** Resolves when the conversation is so. */
function until(session: Session, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (isSo()) return resolve();
    const stop = session.store.subscribe(() => {
      if (!isSo()) return;
      stop();
      resolve();
    });
  });
}

describe.each(['v2', 'v2-unstable'])('the official SDK as an agent of version 2: %s', (kind) => {
  let official: Official;
  const asked: PermissionRequest[] = [];
  const notes: unknown[] = [];
  let answer: 'allow' | 'deny' = 'allow';

  beforeAll(async () => {
    official = await connectToOfficial([kind], {
      terminalLogin: true,
      handlers: {
        requestPermission: (request) => {
          asked.push(request);
          return { outcome: 'selected', optionId: answer };
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

  test('permission: asked with the tool call applied, answered with the option', async () => {
    for (const choice of ['allow', 'deny'] as const) {
      answer = choice;
      const session = await official.connection.newSession({ cwd });
      await session.prompt('permission');
      expect(asked.at(-1)).toMatchObject({
        title: 'May I write?',
        subject: { type: 'tool_call', toolCallId: 't2' },
        toolCall: { toolCallId: 't2', title: 'Write', toolKind: 'edit' },
      });
      expect(outline(session.conversation)).toEqual([
        'user: permission',
        `t2: ${choice === 'allow' ? 'completed' : 'failed'}`,
        `agent: The answer was ${choice}.`,
      ]);
    }
    answer = 'allow';
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

  test('cancel: the session comes to rest cancelled, and what is said last is taken', async () => {
    const session = await official.connection.newSession({ cwd });
    const turn = session.prompt('wait');
    await until(session, () => toolCalls(session.conversation).length > 0);
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    const lines = outline(session.conversation);
    expect(lines.slice(0, 2)).toEqual(['user: wait', 't4: cancelled']);
    expect(lines.at(-1)).toMatch(/^agent: Stopped: (selected|cancelled)\.$/);
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

  test('what was not advertised is not sent', async () => {
    const { connection } = official;
    await official.seen();
    const session = await connection.newSession({ cwd });
    const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } as const;
    await expect(session.prompt([audio])).rejects.toMatchObject({ feature: 'session.prompt.audio' });
    const own = { type: '_pipe', name: 'x' } as const;
    await expect(connection.newSession({ cwd, mcpServers: [own] })).rejects.toMatchObject({
      feature: 'session.mcp._pipe',
    });
    expect((await official.seen()).map(({ method }) => method)).toEqual(['session/new']);
  });

  test('failures, logins and logouts', async () => {
    const { connection } = official;
    const session = await connection.newSession({ cwd });
    await expect(session.prompt('fail')).rejects.toMatchObject({
      code: 'remote',
      rpcCode: -32603,
      promptAccepted: true,
    });
    expect(session.conversation.activity).toMatchObject({
      state: 'idle',
      error: { code: -32603, message: 'the model is down' },
    });
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
    await expect(connection.login('tui')).rejects.toMatchObject({ code: 'usage.params' });
    await connection.login('key');
    expect(await session.prompt('login')).toMatchObject({ stopReason: 'end_turn' });
    await connection.logout();
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
  });

  testBothVersions({
    official: () => official,
    cwd: () => cwd,
    notes,
    isStable: kind === 'v2',
  });
});
