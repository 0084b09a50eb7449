import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { dialects, newSession, promptParams } from './dialects.ts';
import { RawClient } from './raw-client.ts';

const cwd = '/home/ada/elsewhere';
const [v1, v2] = dialects as [(typeof dialects)[number], (typeof dialects)[number]];

async function connect(dialect = v1, folder = temporaryFolder()): Promise<RawClient> {
  const client = await RawClient.start('--state', folder);
  await client.request('initialize', dialect.initialize);
  return client;
}

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

describe('lines', () => {
  test('that are not messages are answered without an id, and empty lines are ignored', async () => {
    await using client = await connect();
    const lines = ['garbage', '{"half":', '[]', '7'];
    for (const line of lines) client.writeLine(line);
    client.writeLine(' \r');
    await client.request('session/list', {});
    const errors = client.received.map(({ message }) => message).filter((message) => 'error' in message);
    expect(errors).toMatchObject(lines.map(() => ({ id: null, error: { code: -32700 } })));
  });

  test('may come in any pieces, and hold U+2028', async () => {
    await using client = await connect();
    const sessionId = await newSession(client, cwd);
    const text = 'one\u2028two 👩‍🍳';
    await client.request('session/prompt', promptParams(sessionId, text));
    const said = client
      .updates(sessionId)
      .filter((update) => update['sessionUpdate'] === 'agent_message_chunk')
      .map((update) => (update['content'] as JsonObject)['text']);
    expect(said.join('')).toContain(`“${text}”`);
  });

  test('with unknown notifications and responses are ignored', async () => {
    await using client = await connect();
    client.notify('_vendor/note', { any: 'thing' });
    client.notify('session/cancel', { sessionId: 'unknown' });
    client.notify('session/cancel', {});
    client.notify('$/cancel_request', { requestId: 4711 });
    client.writeLine('{"jsonrpc":"2.0","id":99,"result":{}}');
    await client.request('session/list', {});
    expect(client.received.map(({ method }) => method)).toEqual(['initialize', 'session/list']);
  });
});

describe.each(dialects)('what a session starts with, in $name,', (dialect) => {
  const setting = (answer: JsonObject) => {
    const [option] = answer['configOptions'] as readonly JsonObject[];
    return option?.['currentValue'];
  };
  const location = { cwd, mcpServers: [] };

  test('is told without a session', async () => {
    await using client = await connect(dialect);
    const before = await client.request('session/list', {});
    const answer = await client.request('session/options', { cwd });
    expect(setting(answer)).toBe('ask');
    expect(Object.hasOwn(answer, 'availableCommands')).toBe(dialect.protocolVersion === 2);
    expect(await client.request('session/list', {})).toEqual(before);
    const unknown = { cwd, sessionId: 'session-99' };
    expect(await client.refused('session/options', unknown)).toMatchObject({ code: -32002 });
  });

  test('is chosen when a session is opened, and stays', async () => {
    await using client = await connect(dialect);
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
    await using client = await connect();
    expect(await listAll(client)).toEqual([
      ['example-leap-day', 'example-tea-house'],
      ['example-lighthouse'],
    ]);
    await newSession(client, cwd);
    expect(await listAll(client)).toEqual([
      ['session-1', 'example-leap-day'],
      ['example-tea-house', 'example-lighthouse'],
    ]);
    expect(await listAll(client, { cwd })).toEqual([['session-1']]);
    expect(await listAll(client, { cwd: '/home/ada' })).toEqual([[]]);
  });

  test('continues after the cursor when other sessions are added', async () => {
    await using client = await connect();
    const { nextCursor = null } = await client.request('session/list', {});
    await newSession(client, cwd);
    expect(await client.request('session/list', { cursor: nextCursor })).toMatchObject({
      sessions: [{ sessionId: 'example-lighthouse' }],
    });
  });

  test('describes a session', async () => {
    await using client = await connect();
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

  test.each([{ cursor: '' }, { cursor: 'bm9uZQ' }, { cursor: 7 }, { cwd: 'relative' }, { cwd: '' }])(
    'is refused for %j',
    async (params) => {
      await using client = await connect();
      expect(await client.refused('session/list', params)).toMatchObject({ code: -32602 });
    },
  );
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
    await using client = await connect();
    await newSession(client, cwd);
    const { code, data } = await client.refused(method, params);
    expect(code).toBe(-32602);
    expect(data).toMatchObject({ issues: expect.arrayContaining([expect.objectContaining({ path })]) });
  });

  test('of version 2 name a place where the replay can start', async () => {
    await using client = await connect(v2);
    const sessionId = await newSession(client, cwd);
    const from = { sessionId, cwd, replayFrom: { type: '_middle' } };
    expect(await client.refused('session/resume', from)).toMatchObject({ code: -32602 });
  });

  test.each(['C:\\Users\\ada', '\\\\server\\share', '/'])('take %j for an absolute path', async (path) => {
    await using client = await connect();
    expect(await newSession(client, path)).toBe('session-1');
  });

  test.each(['session/prompt', 'session/set_mode', 'session/set_config_option'])(
    'of %s must name an open session',
    async (method) => {
      await using client = await connect();
      const params = {
        ...promptParams('example-leap-day', 'hi'),
        modeId: 'ask',
        configId: 'mode',
        value: 'ask',
      };
      expect(await client.refused(method, params)).toMatchObject({
        code: -32002,
        data: { sessionId: 'example-leap-day' },
      });
    },
  );

  test.each(['unknown', '../package', 'session-1/../x', ''])('cannot load %j', async (sessionId) => {
    await using client = await connect();
    for (const method of ['session/load', 'session/resume']) {
      expect(await client.refused(method, { sessionId, cwd, mcpServers: [] })).toMatchObject({
        code: -32002,
        data: { sessionId },
      });
    }
  });
});

describe('a session', () => {
  test('is gone when it is deleted, and deleting it again is not an error', async () => {
    const folder = temporaryFolder();
    await using client = await connect(v1, folder);
    const sessionId = await newSession(client, cwd);
    for (let times = 0; times < 2; times += 1) {
      expect(await client.request('session/delete', { sessionId })).toEqual({});
    }
    await client.end();
    await using later = await connect(v1, folder);
    expect(await listAll(later, { cwd })).toEqual([[]]);
  });

  test('is closed for this connection, and can be loaded again', async () => {
    await using client = await connect();
    const sessionId = await newSession(client, cwd);
    for (let times = 0; times < 2; times += 1) await client.request('session/close', { sessionId });
    expect(await client.refused('session/prompt', promptParams(sessionId, 'hi'))).toMatchObject({
      code: -32002,
    });
    await v1.replay(client, sessionId);
    expect(await v1.prompt(client, sessionId, 'hi')).toBe('end_turn');
  });

  test('is resumed without its history', async () => {
    await using client = await connect(v2);
    await client.request('session/resume', { sessionId: 'example-leap-day', cwd });
    const tags = client.updates('example-leap-day').map((update) => update['sessionUpdate']);
    expect(tags).toEqual(['available_commands_update', 'state_update']);
  });

  test('has the title of its first prompt, and a time that depends on its turns', async () => {
    await using client = await connect();
    const sessionId = await newSession(client, cwd);
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
    const folder = temporaryFolder();
    await using client = await connect(v1, folder);
    const sessionId = await newSession(client, cwd);
    await client.request('session/set_mode', { sessionId, modeId: 'auto' });
    await client.end();
    await using later = await connect(v1, folder);
    expect(await v1.replay(later, sessionId)).toMatchObject({
      modes: { currentModeId: 'auto' },
      configOptions: [{ id: 'mode', currentValue: 'auto' }],
    });
  });
});

test('every request is answered once, whatever its parameters', async () => {
  const methods = ['new', 'load', 'resume', 'list', 'close', 'delete', 'set_mode', 'set_config_option'];
  await using client = await connect();
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
      const answers = client.received.filter(({ message }) => message['id'] === id && !('method' in message));
      expect(answers).toHaveLength(1);
      const { error } = answers[0]?.message ?? {};
      if (error !== undefined) expect(['-32602', '-32002']).toContain(String((error as JsonObject)['code']));
    }),
  );
});
