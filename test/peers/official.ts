import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { spawnAgent } from '../../src/agents/spawn-agent.ts';
import type { Diagnostic, DiagnosticRule } from '../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { ClientHandlers, PermissionRequest } from '../../src/core/client/requests/handlers.ts';
import { until } from '../support/eventually.ts';
import { outline, toolCalls } from '../support/open-session.ts';

const program = fileURLToPath(new URL('programs/agent.mjs', import.meta.url));

interface Received {
  readonly method: string;
  readonly params: JsonObject;
}

export interface Official {
  readonly connection: ClientConnection;
  readonly diagnostics: Diagnostic[];
  /** What the SDK handed to its handlers since this was asked for last: the method, and what it made of the parameters. */
  seen(): Promise<readonly Received[]>;
  /** All that {@link seen} has returned. */
  readonly received: readonly Received[];
  /** What the agent wrote to stderr: the SDK complains there. */
  complaints(): string;
}

const expected: ReadonlySet<string> = new Set<DiagnosticRule>([
  // The program has nothing to say about some prompts.
  'session.empty_turn',
]);

/** Runs an agent of the official SDK as a program, and connects to it. */
export async function connectToOfficial(
  args: readonly string[],
  options: Partial<ConnectOptions> = {},
): Promise<Official> {
  const diagnostics: Diagnostic[] = [];
  let complaints = '';
  const agent = spawnAgent({
    command: process.execPath,
    args: [program, ...args],
    onStderr: (text) => {
      complaints += text;
    },
  });
  const connection = await connect(agent, {
    clientInfo: { name: 'my-editor', version: '1.0.0' },
    onDiagnostic: (diagnostic) => {
      if (!expected.has(diagnostic.rule)) diagnostics.push(diagnostic);
    },
    ...options,
  });
  const received: Received[] = [];
  return {
    connection,
    diagnostics,
    received,
    complaints: () => complaints,
    async seen() {
      // The program answers with the list that it kept.
      const all = (await connection.request('_agent/seen', {})) as Received[];
      const fresh = all.slice(received.length);
      received.push(...fresh);
      return fresh;
    },
  };
}

/** What of `sent` did not arrive as it was sent. */
export function differences(sent: unknown, arrived: unknown, path = ''): readonly string[] {
  if (Object.is(sent, arrived)) return [];
  if (typeof sent !== 'object' || typeof arrived !== 'object' || sent === null || arrived === null) {
    return [`${path || 'the whole'}: ${JSON.stringify(sent)} arrived as ${JSON.stringify(arrived)}`];
  }
  const keys = new Set([...Object.keys(sent), ...Object.keys(arrived)]);
  return [...keys].flatMap((key) =>
    differences(Reflect.get(sent, key), Reflect.get(arrived, key), path === '' ? key : `${path}.${key}`),
  );
}

interface Peer {
  /** The argument of the program. */
  readonly kind: string;
  readonly version: 1 | 2;
  cwd(): string;
  /** Handlers beside those that both versions have. */
  handlers?(): ClientHandlers;
  /** What a permission request for an edit has. */
  readonly asks: object;
  /** What the tool call has of a turn whose prompt says `talk`. */
  readonly talks: object;
}

/** What the agent says to a prompt that says `talk`. */
const talk = ['thought: Hm.', 't1: completed', 'agent: Hello there.'];

const said = (text: string) => ({ type: 'text', text }) as const;

/** Runs the agent while the tests of a `describe` run, and tests what holds in both versions. */
export function testBothVersions(peer: Peer): () => Official {
  const { kind, version, cwd } = peer;
  const asked: PermissionRequest[] = [];
  const notes: unknown[] = [];
  const answers = { permission: 'allow' };
  let connected: Official;
  const official = () => connected;

  beforeAll(async () => {
    connected = await connectToOfficial([kind], {
      terminalLogin: true,
      handlers: {
        ...peer.handlers?.(),
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
    await connected.connection.close();
    expect(connected.complaints()).toBe('');
  });

  test('initialize: the agent answers in its version, and offers its logins', () => {
    const { connection } = official();
    expect([connection.protocolVersion, connection.dialect]).toEqual([
      version,
      version === 1 ? 'v1' : 'v2-baseline',
    ]);
    const agentInfo = { name: `official-v${version}`, title: 'Official', version: '2.4.0' };
    expect(connection.agentInfo).toEqual(agentInfo);
    expect(connection.authMethods).toMatchObject([
      { methodId: 'key', type: 'agent' },
      { methodId: 'tui', type: 'terminal', args: ['login'], env: { MODE: 'login' } },
    ]);
  });

  test('new: what came before the answer is there, and every parameter arrives as it was sent', async () => {
    await official().seen();
    const mcpServers = [
      {
        ...(version === 2 && { type: 'stdio' as const }),
        name: 'files',
        command: '/bin/files',
        args: ['-v'],
        env: [{ name: 'A', value: '1' }],
      },
      { type: 'http', name: 'web', url: 'https://example.com/mcp', headers: [] },
    ] as const;
    const additionalDirectories = ['/other'];
    const params = { cwd: cwd(), mcpServers, additionalDirectories, _meta: { traceparent: '00' } };
    const { conversation } = await official().connection.newSession(params);
    expect(conversation.commands).toEqual([
      { type: 'command', name: 'web', description: 'Search', input: { type: 'text', hint: 'query' } },
    ]);
    expect(conversation.modes?.currentModeId).toBe(version === 1 ? 'ask' : undefined);
    expect(conversation.configOptions).toMatchObject([
      { configId: 'model', type: 'select', currentValue: 'small' },
      { configId: 'brave', type: 'boolean', currentValue: false },
    ]);
    const [seen] = await official().seen();
    expect(differences(params, seen?.params)).toEqual([]);
  });

  test('prompt: everything is folded before the promise resolves', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    await official().seen();
    const blocks = [said('talk'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] as const;
    const turn = session.prompt(blocks, { meta: { x: 1 } });
    const { messageId } = await turn.accepted;
    expect(messageId).toEqual(version === 1 ? null : expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(await turn).toEqual({ stopReason: 'end_turn', messageId });
    const { conversation } = session;
    expect(conversation.entries[0]).toMatchObject({ role: 'user', messageId });
    expect(outline(conversation)).toEqual(['user: talk|<image>', ...talk]);
    expect(conversation).toMatchObject({
      plans: [{ planId: 'plan', entries: [{ content: 'Answer' }] }],
      usage: { used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
      info: { title: 'Greeting' },
      activity: { state: 'idle', stopReason: 'end_turn' },
    });
    const looked = { title: 'Look', toolKind: 'read', locations: [{ path: '/a', line: 3 }] };
    expect(toolCalls(conversation)).toMatchObject([{ ...looked, ...peer.talks }]);
    const [seen] = await official().seen();
    const sent = { sessionId: session.sessionId, prompt: blocks, _meta: { x: 1 } };
    expect(differences(sent, seen?.params)).toEqual([]);
  });

  test('list, load, resume, close and delete', async () => {
    const { connection } = official();
    await official().seen();
    const session = await connection.newSession({ cwd: cwd() });
    await session.prompt('talk');
    const listed: string[] = [];
    for await (const { sessionId } of connection.listSessions()) listed.push(sessionId);
    expect(listed).toContain(session.sessionId);
    expect(new Set(listed).size).toBe(listed.length);
    const { sessionId } = session;
    await session.close();
    const loaded = await connection.loadSession({ sessionId, cwd: cwd() });
    expect(outline(loaded.conversation)).toEqual(['user: talk', ...talk]);
    expect(loaded.conversation.entries.every(({ origin }) => origin === 'replay')).toBe(true);
    await loaded.close();
    const resumed = await connection.resumeSession({ sessionId, cwd: cwd() });
    expect(resumed.conversation.entries).toEqual([]);
    await resumed.prompt('talk');
    await connection.deleteSession(sessionId);
    expect(resumed.isClosed).toBe(true);
    const loading = connection.loadSession({ sessionId, cwd: cwd() });
    await expect(loading).rejects.toMatchObject({ code: 'remote.not_found' });
    const opening = (await official().seen()).flatMap(({ method, params }) =>
      /load|resume/.test(method) ? [`${method}${'replayFrom' in params ? ' with replay' : ''}`] : [],
    );
    const load = version === 1 ? 'session/load' : 'session/resume with replay';
    expect(opening).toEqual([load, 'session/resume', load]);
  });

  test('failures', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    const failed = { code: 'remote', rpcCode: -32603, promptAccepted: true };
    await expect(session.prompt('fail')).rejects.toMatchObject(failed);
    expect(session.conversation.activity).toMatchObject({ state: 'idle', error: { code: -32603 } });
  });

  test('permission: asked with the tool call applied, answered with the option', async () => {
    for (const choice of ['allow', 'deny']) {
      answers.permission = choice;
      const session = await official().connection.newSession({ cwd: cwd() });
      await session.prompt('permission');
      expect(asked.at(-1)).toMatchObject(peer.asks);
      expect(outline(session.conversation)).toEqual([
        'user: permission',
        `t2: ${choice === 'allow' ? 'completed' : 'failed'}`,
        `agent: The answer was ${choice}.`,
      ]);
    }
    answers.permission = 'allow';
  });

  test('cancel: the turn ends cancelled, the open permission with it, and what is said last is taken', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    const turn = session.prompt('wait');
    await until(session.store, (conversation) => toolCalls(conversation).length > 0);
    await session.cancel();
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    const lines = outline(session.conversation);
    expect(lines.slice(0, 2)).toEqual(['user: wait', 't4: cancelled']);
    // The permission was answered before the cancel, or by it.
    expect(lines.at(-1)).toMatch(/^agent: Stopped: (selected|cancelled)\.$/);
  });

  test('logins and logouts', async () => {
    const { connection } = official();
    const session = await connection.newSession({ cwd: cwd() });
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
    await expect(connection.login('tui')).rejects.toMatchObject({ code: 'usage.params' });
    await connection.login('key');
    expect(await session.prompt('login')).toMatchObject({ stopReason: 'end_turn' });
    await connection.logout();
    await expect(session.prompt('login')).rejects.toMatchObject({ code: 'remote.auth_required' });
  });

  test('config options are set, and shown as the agent confirms them', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    await official().seen();
    await session.setConfigOption('model', 'large');
    await session.setConfigOption('brave', true);
    const { configOptions } = session.conversation;
    expect(configOptions.map(({ currentValue }) => currentValue)).toEqual(['large', true]);
    const method = 'session/set_config_option';
    const { sessionId } = session;
    expect(await official().seen()).toEqual([
      {
        method,
        params: { sessionId, configId: 'model', value: 'large', ...(version === 2 && { type: 'id' }) },
      },
      { method, params: { sessionId, configId: 'brave', value: true, type: 'boolean' } },
    ]);
  });

  test('elicitation: a form is asked and answered', async () => {
    const session = await official().connection.newSession({ cwd: cwd() });
    await session.prompt('ask');
    const said = outline(session.conversation).at(-1)?.slice('agent: '.length) ?? '';
    expect(JSON.parse(said)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  });

  test('extension methods both ways, and an unknown one is -32601', async () => {
    const { connection } = official();
    expect(await connection.request('_agent/echo', { a: [1] })).toEqual({ echo: { a: [1] } });
    await official().seen();
    await connection.notify('_agent/note', { b: 2 });
    // The SDK may answer a later request before it has handled a notification.
    let seen = await official().seen();
    for (let asked = 0; seen.length === 0 && asked < 100; asked++) seen = await official().seen();
    expect(seen).toEqual([{ method: '_agent/note', params: { b: 2 } }]);
    await expect(connection.request('_agent/unknown', {})).rejects.toMatchObject({ rpcCode: -32601 });
    const session = await connection.newSession({ cwd: cwd() });
    await session.prompt('extension');
    const { sessionId } = session;
    expect(outline(session.conversation).at(-1)).toBe(
      `agent: ${JSON.stringify({ echo: { got: { sessionId, n: 1 } }, unknown: -32601 })}`,
    );
    expect(notes).toEqual([{ n: 2 }]);
  });

  if (kind.includes('unstable')) {
    test('what is not stable works where the agent offers it', async () => {
      const { connection } = official();
      const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] } as const;
      await official().seen();
      const session = await connection.newSession({ cwd: cwd(), systemPrompt });
      const [seen] = await official().seen();
      expect(differences({ cwd: cwd(), mcpServers: [], systemPrompt }, seen?.params)).toEqual([]);
      await expect(
        connection.newSession({ cwd: cwd(), systemPrompt: { ...systemPrompt, mode: 'override' } }),
      ).rejects.toMatchObject({ feature: 'session.systemPrompt.override' });
      const forked = await connection.forkSession({ sessionId: session.sessionId, cwd: cwd() });
      expect(forked.sessionId).toBe('fork');
      await connection.request('session/archive', { sessionId: session.sessionId });
      await connection.request('session/unarchive', { sessionId: session.sessionId });
      expect(await connection.listSessions({ archived: 'include' }).page()).toHaveProperty('sessions');
      expect(await connection.request('session/status', { sessionId: session.sessionId })).toEqual({
        status: 'open',
      });
      expect(
        await connection.request('session/set_title', { sessionId: session.sessionId, title: 'New' }),
      ).toEqual({ title: 'New!' });
      expect(await connection.request('auth/status', {})).toMatchObject({ state: 'unauthenticated' });
      expect(await connection.request('providers/list', {})).toMatchObject({
        providers: [{ providerId: 'p' }],
      });
      await connection.request('providers/set', {
        providerId: 'p',
        apiType: 'openai',
        baseUrl: 'https://example.com',
      });
      await connection.request('providers/disable', { providerId: 'p' });
    });
  }

  test('nothing that the agent sent was odd', () => {
    // The second one is about the directory of the tests, which does not exist.
    const ours = ['rpc.unknown_request', 'session.missing_directory'];
    expect(official().diagnostics.filter(({ rule }) => !ours.includes(rule))).toEqual([]);
  });

  return official;
}
