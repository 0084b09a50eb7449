import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PermissionRequest } from '../../src/client/requests/handlers.ts';
import { nodeFileSystem } from '../../src/node/file-system.ts';
import { type NodeTerminals, nodeTerminals } from '../../src/node/terminals.ts';
import { outline, toolCalls } from '../support/open-session.ts';
import { testBothVersions } from './both-versions.ts';
import { connectToOfficial, differences, type Official } from './official.ts';

const said = (text: string) => ({ type: 'text', text }) as const;

describe.each(['v1', 'v1-unstable'])('the official SDK as an agent of version 1: %s', (kind) => {
  let folder: string;
  let terminals: NodeTerminals;
  let official: Official;
  const asked: PermissionRequest[] = [];
  const notes: unknown[] = [];
  const answers = { permission: 'allow' };

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-peer-')));
    terminals = nodeTerminals({ cwd: folder });
    official = await connectToOfficial([kind], {
      terminalLogin: true,
      handlers: {
        ...nodeFileSystem({ roots: [folder] }),
        terminals,
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
    await terminals.close();
    await rm(folder, { recursive: true });
    expect(official.complaints()).toBe('');
  });

  test('initialize: asked for 2, the agent answers 1, and reads the half that is meant for it', async () => {
    const { connection } = official;
    expect([connection.protocolVersion, connection.dialect]).toEqual([1, 'v1']);
    expect(connection.agentInfo).toEqual({ name: 'official-v1', title: 'Official', version: '2.4.0' });
    const [initialize] = await official.seen();
    const capabilities = {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      auth: { terminal: true },
      elicitation: { form: {} },
    };
    expect(initialize?.params['clientCapabilities']).toMatchObject(capabilities);
    expect(initialize?.params['clientInfo']).toEqual({ name: 'my-editor', version: '1.0.0' });
    // The half for version 2 is no part of the schema of version 1: the SDK hands on what it knows.
    expect(initialize?.params['protocolVersion']).toBe(2);
    expect(connection.authMethods).toMatchObject([
      { methodId: 'key', type: 'agent' },
      { methodId: 'tui', type: 'terminal', args: ['login'], env: { MODE: 'login' } },
    ]);
  });

  test('new: what came before the answer is there, and every parameter arrives as it was sent', async () => {
    const mcpServers = [
      { name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'A', value: '1' }] },
      { type: 'http', name: 'web', url: 'https://example.com/mcp', headers: [] },
    ] as const;
    const params = {
      cwd: folder,
      mcpServers,
      additionalDirectories: ['/other'],
      _meta: { traceparent: '00' },
    };
    const session = await official.connection.newSession(params);
    const { commands, modes, configOptions } = session.conversation;
    expect(commands).toEqual([
      { name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
    ]);
    expect(modes?.currentModeId).toBe('ask');
    expect(configOptions).toMatchObject([
      { configId: 'model', type: 'select', currentValue: 'small' },
      { configId: 'brave', type: 'boolean', currentValue: false },
    ]);
    const [seen] = await official.seen();
    expect(differences(params, seen?.params)).toEqual([]);
  });

  test('prompt: everything is folded before the promise resolves', async () => {
    const session = await official.connection.newSession({ cwd: folder });
    await official.seen();
    const blocks = [said('talk'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] as const;
    expect(await session.prompt(blocks, { meta: { x: 1 } })).toEqual({
      stopReason: 'end_turn',
      messageId: null,
    });
    const conversation = session.conversation;
    expect(outline(conversation)).toEqual([
      'user: talk|<image>',
      'thought: Hm.',
      't1: completed',
      'agent: Hello there.',
    ]);
    expect(conversation).toMatchObject({
      plans: [{ planId: 'plan', entries: [{ content: 'Answer' }] }],
      usage: { used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
      info: { title: 'Greeting' },
      activity: { state: 'idle', stopReason: 'end_turn' },
    });
    expect(toolCalls(conversation)).toMatchObject([
      {
        title: 'Look',
        toolKind: 'read',
        locations: [{ path: '/a', line: 3 }],
        content: [
          { type: 'diff', changes: [{ operation: 'modify', path: '/a', oldText: 'a', newText: 'b' }] },
        ],
      },
    ]);
    const [seen] = await official.seen();
    expect(
      differences({ sessionId: session.sessionId, prompt: blocks, _meta: { x: 1 } }, seen?.params),
    ).toEqual([]);
  });

  test('files: read by line, written, and missing ones are -32002', async () => {
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    const session = await official.connection.newSession({ cwd: folder });
    await session.prompt(`files ${path}`);
    expect(outline(session.conversation).at(-1)).toBe('agent: "two\\n" error -32002');
    expect(await readFile(`${path}.copy`, 'utf8')).toBe('TWO\n');
  });

  test('terminals: created, waited for, read, released, and still to be shown', async () => {
    const session = await official.connection.newSession({ cwd: folder });
    await session.prompt('terminal');
    const conversation = session.conversation;
    expect(outline(conversation)).toEqual(['user: terminal', 't3: completed', 'agent: me false 2']);
    const [shown] = toolCalls(conversation)[0]?.content ?? [];
    expect(shown).toMatchObject({ type: 'terminal' });
    const { terminalId } = shown as { terminalId: string };
    expect(terminals.get(terminalId)).toMatchObject({ output: 'me' });
  });

  test('modes and config options are set, and shown as the agent confirms them', async () => {
    const session = await official.connection.newSession({ cwd: folder });
    await session.setMode('code');
    await session.setConfigOption('model', 'large');
    await session.setConfigOption('brave', true);
    const { modes, configOptions } = session.conversation;
    expect(modes?.currentModeId).toBe('code');
    expect(configOptions.map(({ currentValue }) => currentValue)).toEqual(['large', true]);
    const seen = (await official.seen()).filter(({ method }) => method.startsWith('session/set'));
    expect(seen.map(({ method, params }) => [method, params['value'] ?? params['modeId']])).toEqual([
      ['session/set_mode', 'code'],
      ['session/set_config_option', 'large'],
      ['session/set_config_option', true],
    ]);
  });

  test('list, load, resume, close and delete', async () => {
    const { connection } = official;
    const session = await connection.newSession({ cwd: folder });
    await session.prompt('talk');
    const listed: string[] = [];
    for await (const { sessionId } of connection.listSessions()) listed.push(sessionId);
    expect(listed).toContain(session.sessionId);
    expect(new Set(listed).size).toBe(listed.length);
    const { sessionId } = session;
    await session.close();
    const loaded = await connection.loadSession({ sessionId, cwd: folder });
    expect(outline(loaded.conversation)).toEqual(['user: talk', 'agent: Replayed talk']);
    expect(loaded.conversation.entries.every(({ origin }) => origin === 'replay')).toBe(true);
    await loaded.close();
    const resumed = await connection.resumeSession({ sessionId, cwd: folder });
    expect(resumed.conversation.entries).toEqual([]);
    await resumed.prompt('talk');
    await connection.deleteSession(sessionId);
    expect(resumed.isClosed).toBe(true);
    await expect(connection.loadSession({ sessionId, cwd: folder })).rejects.toMatchObject({
      code: 'remote.not_found',
    });
  });

  test('failures', async () => {
    const session = await official.connection.newSession({ cwd: folder });
    await expect(session.prompt('fail')).rejects.toMatchObject({
      code: 'remote',
      rpcCode: -32603,
      data: { why: 'because' },
    });
  });

  testBothVersions({
    official: () => official,
    cwd: () => folder,
    asked,
    answers,
    notes,
    asks: { title: 'Write', toolCall: { toolCallId: 't2', toolKind: 'edit' } },
    unsupported: {
      server: { type: 'sse', name: 'x', url: 'https://example.com' },
      feature: 'session.mcp.sse',
    },
    isStable: kind === 'v1',
  });
});
