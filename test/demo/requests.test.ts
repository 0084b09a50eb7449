import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json.ts';
import { dialects, newSession, promptParams } from './dialects.ts';
import { RawClient } from './raw-client.ts';
import { temporaryFolder } from './temporary-folder.ts';

const cwd = '/home/ada/elsewhere';
const [v1, v2] = dialects as [(typeof dialects)[number], (typeof dialects)[number]];

async function connect(dialect = v1, folder = temporaryFolder()): Promise<RawClient> {
  const client = await RawClient.start('--sessions', folder);
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
  test('that are no messages are answered without an id', async () => {
    await using client = await connect();
    const lines = [
      'garbage',
      '{"half":',
      '[]',
      '7',
      '{"id":1}',
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":null,"method":"x"}',
    ];
    for (const line of lines) client.writeLine(line);
    client.writeLine(' \r');
    await client.request('session/list', {});
    const errors = client.received.filter(({ message }) => 'error' in message).map(({ message }) => message);
    expect(errors.map(({ id }) => id)).toEqual(lines.map(() => null));
    expect(errors.map(({ error }) => (error as JsonObject)['code'])).toEqual([
      -32700, -32700, -32600, -32600, -32600, -32600, -32600,
    ]);
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

  test('about notifications that it does not know are nothing to it', async () => {
    await using client = await connect();
    client.notify('_vendor/note', { any: 'thing' });
    client.notify('session/cancel', { sessionId: 'nobody' });
    client.notify('session/cancel', {});
    client.notify('$/cancel_request', { requestId: 4711 });
    client.writeLine('{"jsonrpc":"2.0","id":99,"result":{}}');
    await client.request('session/list', {});
    expect(client.received.map(({ method }) => method)).toEqual(['initialize', 'session/list']);
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

  test('goes on where it was, whatever was deleted and added meanwhile', async () => {
    await using client = await connect();
    const { nextCursor = null } = await client.request('session/list', {});
    await client.request('session/delete', { sessionId: 'example-tea-house' });
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
    ['session/new', [], 'params'],
    ['session/new', { mcpServers: [] }, 'cwd'],
    ['session/new', { cwd: 'here', mcpServers: [] }, 'cwd'],
    ['session/new', { cwd }, 'mcpServers'],
    ['session/new', { cwd, mcpServers: [{ name: 'x' }] }, 'mcpServers[0].command'],
    [
      'session/new',
      { cwd, mcpServers: [{ name: 'x', type: 'sse', url: 'http://127.0.0.1' }] },
      'mcpServers[0].type',
    ],
    ['session/new', { cwd, mcpServers: [], additionalDirectories: ['/a', ''] }, 'additionalDirectories[1]'],
    ['session/load', { cwd, mcpServers: [] }, 'sessionId'],
    ['session/load', { sessionId: 'example-leap-day', mcpServers: [] }, 'cwd'],
    ['session/prompt', { sessionId: 'session-1' }, 'prompt'],
    ['session/prompt', { sessionId: 'session-1', prompt: [] }, 'prompt'],
    ['session/prompt', { sessionId: 'session-1', prompt: [{ type: 'text' }] }, 'prompt[0].text'],
    [
      'session/prompt',
      { sessionId: 'session-1', prompt: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] },
      'prompt[0].type',
    ],
    [
      'session/prompt',
      { sessionId: 'session-1', prompt: [{ type: 'resource', resource: {} }] },
      'prompt[0].resource.uri',
    ],
    ['session/set_mode', { sessionId: 'session-1', modeId: 'yolo' }, 'modeId'],
    ['session/set_config_option', { sessionId: 'session-1', configId: 'mode', value: 'yolo' }, 'value'],
    ['session/set_config_option', { sessionId: 'session-1', configId: 'thoughts', value: 'true' }, 'type'],
    ['session/set_config_option', { sessionId: 'session-1', configId: 'colour', value: 'x' }, 'configId'],
  ];

  test.each(malformed)('%s with %j is refused for %s', async (method, params, path) => {
    await using client = await connect();
    await newSession(client, cwd);
    expect(await client.refused(method, params)).toMatchObject({ code: -32602, data: { path } });
  });

  test('of version 2 carry the type of a value, and a place that the replay can start from', async () => {
    await using client = await connect(v2);
    const sessionId = await newSession(client, cwd);
    const untyped = { sessionId, configId: 'mode', value: 'auto' };
    expect(await client.refused('session/set_config_option', untyped)).toMatchObject({ code: -32602 });
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

  test.each(['nobody', '../package', 'examples-edition', ''])('cannot load %j', async (sessionId) => {
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
  test('is gone when it is deleted, and deleting it again is no error', async () => {
    const folder = temporaryFolder();
    await using client = await connect(v1, folder);
    for (let times = 0; times < 2; times += 1) {
      expect(await client.request('session/delete', { sessionId: 'example-lighthouse' })).toEqual({});
    }
    await client.end();
    await using later = await connect(v1, folder);
    expect(await listAll(later)).toEqual([['example-leap-day', 'example-tea-house']]);
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

  test('is named after its first prompt, a minute after the youngest', async () => {
    await using client = await connect();
    const sessionId = await newSession(client, cwd);
    await v1.prompt(client, sessionId, `${'a long line '.repeat(9)}\nand another`);
    await v1.prompt(client, sessionId, 'second prompt');
    const { sessions } = await client.request('session/list', { cwd });
    expect(sessions).toMatchObject([
      {
        title: 'a long line a long line a long line a long line a long line…',
        updatedAt: '2026-02-28T16:43:00.000Z',
      },
    ]);
  });

  test('of version 1 has options of true and false only for a client that knows them', async () => {
    await using client = await RawClient.start('--sessions', temporaryFolder());
    await client.request('initialize', { protocolVersion: 1 });
    const { configOptions } = await client.request('session/new', { cwd, mcpServers: [] });
    expect(configOptions).toMatchObject([{ id: 'mode', type: 'select' }]);
    expect(configOptions).toHaveLength(1);
  });

  test('keeps its settings', async () => {
    const folder = temporaryFolder();
    await using client = await connect(v1, folder);
    const sessionId = await newSession(client, cwd);
    await client.request('session/set_mode', { sessionId, modeId: 'auto' });
    const option = { sessionId, configId: 'thoughts', type: 'boolean', value: false };
    const { configOptions } = await client.request('session/set_config_option', option);
    const expected = [
      { id: 'mode', currentValue: 'auto' },
      { id: 'thoughts', currentValue: false },
    ];
    expect(configOptions).toMatchObject(expected);
    await v1.prompt(client, sessionId, 'hello');
    const tags = client.updates(sessionId).map((update) => update['sessionUpdate']);
    expect(tags).not.toContain('agent_thought_chunk');
    await client.end();

    await using later = await connect(v1, folder);
    const loaded = await v1.replay(later, sessionId);
    expect(loaded).toMatchObject({ modes: { currentModeId: 'auto' }, configOptions: expected });
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
