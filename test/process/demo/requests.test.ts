import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/core/base/json.ts';
import { memoryStore } from '../../../src/programs/demo/store.ts';
import { connect, cwd, dialects, newSession, promptParams, v1, v2 } from './dialects.ts';
import type { RawClient } from './raw-client.ts';

async function listAll(client: RawClient, filter: JsonObject = {}): Promise<readonly unknown[][]> {
  const pages: unknown[][] = [];
  let params: JsonObject = filter;
  for (;;) {
    const { sessions, nextCursor } = await client.request('session/list', params);
    pages.push((sessions as readonly JsonObject[]).map((session) => session['sessionId']));
    if (typeof nextCursor !== 'string') return pages;
    params = { ...filter, cursor: nextCursor };
  }
}

describe.each(dialects)('what a session starts with, in $name,', (dialect) => {
  const setting = (answer: JsonObject) => {
    const [option] = answer['configOptions'] as readonly JsonObject[];
    return option?.['currentValue'];
  };
  const location = { cwd, mcpServers: [] };

  test('is told without a session', async () => {
    const client = await connect(dialect);
    const before = await client.request('session/list', {});
    const answer = await client.request('session/options', { cwd });
    expect(setting(answer)).toBe('ask');
    expect(Object.hasOwn(answer, 'availableCommands')).toBe(dialect.protocolVersion === 2);
    expect(await client.request('session/list', {})).toEqual(before);
    const unknown = { cwd, sessionId: 'session-99' };
    expect(await client.refused('session/options', unknown)).toMatchObject({ code: -32002 });
  });

  test('is chosen when a session is opened, and stays', async () => {
    const client = await connect(dialect);
    const configOptions = [
      { configId: 'mode', type: 'id', value: 'auto' },
      { configId: 'color', type: 'id', value: 'red' },
      { configId: 'mode', type: 'boolean', value: true },
    ];
    const { sessionId = null, ...opened } = await client.request('session/new', {
      ...location,
      configOptions,
    });
    expect(setting(opened)).toBe('auto');
    expect(setting(await client.request('session/options', { cwd, sessionId }))).toBe('auto');
    const chosen = [{ configId: 'mode', type: 'id', value: 'ask' }];
    const given = { ...location, sessionId, configOptions: chosen };
    expect(setting(await client.request('session/resume', given))).toBe('ask');
    expect(setting(await client.request('session/options', { cwd, sessionId }))).toBe('ask');
  });
});

describe('the list', () => {
  test('comes in pages, the youngest first', async () => {
    const client = await connect();
    expect(await listAll(client)).toEqual([
      ['example-leap-day', 'example-tea-house'],
      ['example-lighthouse'],
    ]);
    await newSession(client);
    expect(await listAll(client)).toEqual([
      ['session-1', 'example-leap-day'],
      ['example-tea-house', 'example-lighthouse'],
    ]);
    expect(await listAll(client, { cwd })).toEqual([['session-1']]);
    expect(await listAll(client, { cwd: '/home/ada' })).toEqual([[]]);
  });

  test('continues after the cursor when other sessions are added', async () => {
    const client = await connect();
    const { nextCursor = null } = await client.request('session/list', {});
    await newSession(client);
    expect(await client.request('session/list', { cursor: nextCursor })).toMatchObject({
      sessions: [{ sessionId: 'example-lighthouse' }],
    });
  });

  test('describes a session', async () => {
    const client = await connect();
    const { sessions } = await client.request('session/list', { cwd: '/home/ada/tea-house' });
    expect(sessions).toEqual([
      {
        sessionId: 'example-tea-house',
        cwd: '/home/ada/tea-house',
        additionalDirectories: ['/home/ada/fonts'],
        title: 'A hole in the welcome sign',
        updatedAt: '2026-02-21T10:05:00.000Z',
      },
    ]);
  });

  test('is refused for a wrong cursor or directory', async () => {
    const client = await connect();
    for (const params of [
      { cursor: '' },
      { cursor: 'bm9uZQ' },
      { cursor: 7 },
      { cwd: 'relative' },
      { cwd: '' },
    ])
      expect(await client.refused('session/list', params)).toMatchObject({ code: -32602 });
  });
});

describe('parameters', () => {
  const malformed: readonly (readonly [string, JsonValue, string])[] = [
    ['session/new', [], 'cwd'],
    ['session/new', { mcpServers: [] }, 'cwd'],
    ['session/new', { cwd: 'here', mcpServers: [] }, 'cwd'],
    ['session/new', { cwd, mcpServers: [{}] }, 'mcpServers.0.name'],
    ['session/new', { cwd, mcpServers: [], additionalDirectories: ['/a', ''] }, 'additionalDirectories.1'],
    ['session/load', { cwd, mcpServers: [] }, 'sessionId'],
    ['session/load', { sessionId: 'example-leap-day', mcpServers: [] }, 'cwd'],
    ['session/prompt', { sessionId: 'session-1' }, 'prompt'],
    ['session/prompt', { sessionId: 'session-1', prompt: [] }, 'prompt'],
    ['session/prompt', { sessionId: 'session-1', prompt: ['text'] }, 'prompt.0'],
    ['session/set_mode', { sessionId: 'session-1', modeId: 'yolo' }, 'modeId'],
    ['session/set_config_option', { sessionId: 'session-1', configId: 'mode', value: 'yolo' }, 'value'],
    ['session/set_config_option', { sessionId: 'session-1', configId: 'colour', value: 'x' }, 'configId'],
  ];

  test.each(malformed)('%s with %j is refused for %s', async (method, params, path) => {
    const client = await connect();
    await newSession(client);
    expect(await client.refused(method, params)).toMatchObject({
      code: -32602,
      data: { issues: expect.arrayContaining([expect.objectContaining({ path })]) },
    });
  });

  test('of version 2 name a place where the replay can start', async () => {
    const client = await connect(v2);
    const sessionId = await newSession(client);
    const from = { sessionId, cwd, replayFrom: { type: '_middle' } };
    expect(await client.refused('session/resume', from)).toMatchObject({ code: -32602 });
  });

  test('take paths of each system for absolute ones', async () => {
    const client = await connect();
    for (const path of ['C:\\Users\\ada', '\\\\server\\share', '/']) await newSession(client, path);
  });

  test('must name an open session, or one that exists', async () => {
    const client = await connect();
    const prompt = [{ type: 'text', text: 'hi' }];
    const params = { prompt, modeId: 'ask', configId: 'mode', value: 'ask', cwd, mcpServers: [] };
    const unknown = ['unknown', '../package', 'session-1/../x', ''];
    const cases = [
      ...['prompt', 'set_mode', 'set_config_option'].map((call) => [call, 'example-leap-day'] as const),
      ...unknown.flatMap((sessionId) => [['load', sessionId] as const, ['resume', sessionId] as const]),
    ];
    for (const [call, sessionId] of cases) {
      const refusal = await client.refused(`session/${call}`, { ...params, sessionId });
      expect(refusal, call).toMatchObject({ code: -32002, data: { sessionId } });
    }
  });
});

describe('a session', () => {
  test('is gone when it is deleted, and deleting it again is not an error', async () => {
    const store = memoryStore();
    const client = await connect(v1, store);
    const sessionId = await newSession(client);
    for (let times = 0; times < 2; times += 1) {
      expect(await client.request('session/delete', { sessionId })).toEqual({});
    }
    await client.end();
    const later = await connect(v1, store);
    expect(await listAll(later, { cwd })).toEqual([[]]);
  });

  test('is closed for this connection, and can be loaded again', async () => {
    const client = await connect();
    const sessionId = await newSession(client);
    for (let times = 0; times < 2; times += 1) await client.request('session/close', { sessionId });
    expect(await client.refused('session/prompt', promptParams(sessionId, 'hi'))).toMatchObject({
      code: -32002,
    });
    await v1.replay(client, sessionId);
    expect(await v1.prompt(client, sessionId, 'hi')).toBe('end_turn');
  });

  test('is resumed without its history', async () => {
    const client = await connect(v2);
    await client.request('session/resume', { sessionId: 'example-leap-day', cwd });
    const tags = client.updates('example-leap-day').map((update) => update['sessionUpdate']);
    expect(tags).toEqual(['available_commands_update', 'state_update']);
  });

  test('has the title of its first prompt, and a time that depends on its turns', async () => {
    const client = await connect();
    const sessionId = await newSession(client);
    await v1.prompt(client, sessionId, `${'a long line '.repeat(9)}\nand another`);
    await v1.prompt(client, sessionId, 'second prompt');
    const { sessions } = await client.request('session/list', { cwd });
    expect(sessions).toMatchObject([
      {
        title: 'a long line a long line a long line a long line a long line…',
        updatedAt: '2026-03-01T09:02:00.000Z',
      },
    ]);
  });

  test('keeps its mode', async () => {
    const store = memoryStore();
    const client = await connect(v1, store);
    const sessionId = await newSession(client);
    await client.request('session/set_mode', { sessionId, modeId: 'auto' });
    await client.end();
    const later = await connect(v1, store);
    expect(await v1.replay(later, sessionId)).toMatchObject({
      modes: { currentModeId: 'auto' },
      configOptions: [{ id: 'mode', currentValue: 'auto' }],
    });
  });
});

test('every request is answered once, whatever its parameters', async () => {
  const methods = ['new', 'load', 'resume', 'list', 'close', 'delete', 'set_mode', 'set_config_option'];
  const client = await connect();
  const parameter = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('example-leap-day', 'session-1', cwd, 'mode', []),
  );
  const names = ['sessionId', 'cwd', 'mcpServers', 'cursor', 'additionalDirectories', 'configId', 'value'];
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(Object.fromEntries(names.map((name) => [name, parameter])), { requiredKeys: [] }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), params, async (method, value) => {
      const id = client.send(`session/${method}`, value as JsonValue);
      await client.response(id);
      await client.request('session/list', {});
      const answers = client.received.filter((message) => message['id'] === id && !('method' in message));
      expect(answers).toHaveLength(1);
      const { error } = answers[0] ?? {};
      if (error !== undefined) expect(['-32602', '-32002']).toContain(String((error as JsonObject)['code']));
    }),
  );
});
