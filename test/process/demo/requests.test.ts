import { describe, expect, test } from 'vitest';
import { asksForPermission } from '../../../src/agents/find.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { folderStore } from '../../../src/programs/demo/folder-store.ts';
import { memoryStore } from '../../../src/programs/demo/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  allowOnce,
  connect,
  connectLibrary,
  cwd,
  dialects,
  newSession,
  promptParams,
  RawClient,
  v1,
  v2,
} from './raw-client.ts';

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
});

describe('parameters', () => {
  test('take paths of each system for absolute ones', async () => {
    const client = await connect();
    for (const path of ['C:\\Users\\ada', '\\\\server\\share', '/']) await newSession(client, path);
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

const info = { name: 'raw-client', version: '1.0.0' };

async function answerTo(params: JsonObject, dialect?: DialectName): Promise<JsonObject> {
  const client = RawClient.inMemory(dialect);
  return client.response(client.send('initialize', params));
}

describe('the version', () => {
  test.each<readonly [asked: number, answered: number, dialect: DialectName | undefined]>([
    [1, 1, undefined],
    [2, 2, undefined],
    [99, 2, undefined],
    [1, 1, 'v1'],
    [2, 1, 'v1'],
    [2, 2, 'v2-baseline'],
    [3, 2, 'v2-markers'],
  ])('%i is answered with %i by %s', async (asked, answered, dialect) => {
    const { result } = await answerTo({ protocolVersion: asked, info }, dialect);
    expect(result).toMatchObject({ protocolVersion: answered });
  });

  test.each<readonly [asked: number, supported: readonly number[], dialect: DialectName | undefined]>([
    [0, [1, 2], undefined],
    [0, [1], 'v1'],
    [1, [2], 'v2-baseline'],
    [1, [2], 'v2-markers'],
  ])('%i is refused with %j by %s', async (asked, supported, dialect) => {
    const { error } = await answerTo({ protocolVersion: asked, info }, dialect);
    expect(error).toMatchObject({ code: -32022, data: { requested: asked, supported } });
  });
});

describe('the methods', () => {
  test.each<{ readonly dialect: DialectName; readonly missing: readonly string[] }>([
    { dialect: 'v1', missing: ['auth/login'] },
    { dialect: 'v2-baseline', missing: ['session/load', 'session/set_mode', 'authenticate'] },
    { dialect: 'v2-markers', missing: ['session/set_mode', 'authenticate'] },
  ])('that $dialect does not have are $missing', async ({ dialect, missing }) => {
    const client = RawClient.inMemory(dialect);
    await client.request('initialize', { protocolVersion: 2, info });
    for (const method of missing) {
      expect(await client.refused(method, {})).toMatchObject({ code: -32601 });
    }
  });

  test('exist after initialize', async () => {
    const client = RawClient.inMemory();
    expect(await client.refused('session/list', {})).toMatchObject({ code: -32601 });
    await client.request('initialize', { protocolVersion: 2, info });
    expect(await client.request('session/list', {})).toHaveProperty('sessions');
  });
});

// By their addresses: the agents suite is JavaScript.
const suite = (file: string) => import(new URL(`../../agents/${file}`, import.meta.url).href);
const { againstSchema } = await suite('schema-check.mjs');
const { runsIn } = await suite('traffic.mjs');

const prompts = [
  'Hello, 世界! Καλημέρα 👩‍🍳',
  'plan',
  'Please edit my notes',
  'run it',
  'An image, please',
  'unicode',
  'plan, edit, run, image, unicode: all of it',
];

/** What the answer to `initialize` has and the published schema does not: proposals, and the markers of drafts. */
const extras: Readonly<Record<DialectName, readonly string[]>> = {
  v1: ['agentCapabilities.sessionCapabilities.options'],
  'v2-baseline': ['capabilities.session.inject', 'capabilities.session.options'],
  'v2-markers': ['close', 'inject', 'list', 'load', 'options', 'resume'].map(
    (name) => `capabilities.session.${name}`,
  ),
};

/** Of notifications that differ only in texts and ids, the first: the check takes long. */
function distinct<T extends { readonly message: JsonObject }>(messages: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return messages.filter(({ message }) => {
    const shape = JSON.stringify(message, (key, value) =>
      /^(?:text|data|\w+Id)$/.test(key) ? typeof value : value,
    );
    return message['id'] !== undefined || (!seen.has(shape) && seen.add(shape));
  });
}

describe.each(dialects)('in $name', (dialect) => {
  test('is known to ask in one mode, and not to ask in the other', async () => {
    const connection = await connectLibrary(dialect.name);
    const session = await connection.newSession({ cwd });
    const asks = () => asksForPermission(connection.agentInfo?.name, settingsOf(session.conversation)).asks;
    expect(asks()).toBe('yes');
    await session.changeSetting('mode', 'auto');
    expect(asks()).toBe('no');
  });

  test('every message is one of the official schema', async () => {
    const client = await connect(dialect, folderStore(temporaryFolder()));
    client.answer = allowOnce;
    for (const sessionId of ['example-leap-day', 'example-tea-house', 'example-lighthouse']) {
      await dialect.replay(client, sessionId);
    }
    const sessionId = await newSession(client, cwd);
    for (const prompt of prompts) await dialect.prompt(client, sessionId, prompt);
    await dialect.prompt(client, sessionId, 'fail').catch(() => undefined);
    client.answer = () => ({ outcome: { outcome: 'selected', optionId: 'always' } });
    await dialect.prompt(client, sessionId, 'permission');
    await client.request('session/resume', { sessionId, cwd });
    await client.request('session/set_config_option', {
      sessionId,
      configId: 'mode',
      ...(dialect.protocolVersion === 2 && { type: 'id' }),
      value: 'ask',
    });
    await client.request('session/list', {});
    await client.request('session/close', { sessionId });
    await client.request('session/delete', { sessionId });
    await client.refused('no/such_method', {});
    await client.refused('session/new', { cwd: 'relative', mcpServers: [] });
    await client.refused('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello?' }] });
    await client.end();

    expect(client.received.length).toBeGreaterThan(200);
    expect(againstSchema(dialect.protocolVersion, runsIn(distinct(client.messages)))).toEqual({
      breaches: [],
      extras: extras[dialect.name].map((path) => `the answer to initialize: \`${path}\``),
    });
  });

  test('a replay by another agent shows what was shown live', async () => {
    const folder = temporaryFolder();
    const handlers = { requestPermission: () => ({ outcome: 'selected', optionId: 'once' }) as const };
    const open = () => connectLibrary(dialect.name, folderStore(folder), { handlers });
    const first = await open();
    const live = await first.newSession({ cwd });
    for (const prompt of prompts) await live.prompt(prompt);
    await first.close();
    const replayed = await (await open()).loadSession({ sessionId: live.sessionId, cwd });
    expect(renderMarkdown(replayed.conversation)).toBe(renderMarkdown(live.conversation));
    expect(live.conversation.entries.length).toBeGreaterThan(20);
  });

  test('a replay sends the same updates each time', async () => {
    const client = await connect(dialect);
    await dialect.replay(client, 'example-leap-day');
    const once = client.updates('example-leap-day');
    const ends = once.filter(({ sessionUpdate }) => sessionUpdate === 'replay_complete');
    // Only the Preview of version 2 has it.
    expect(ends).toHaveLength(dialect.name === 'v2-baseline' ? 1 : 0);
    await dialect.replay(client, 'example-leap-day');
    const ofHistory = (updates: readonly JsonObject[]) =>
      updates.filter(({ sessionUpdate }) => sessionUpdate !== 'state_update');
    expect(ofHistory(client.updates('example-leap-day'))).toEqual([...ofHistory(once), ...ofHistory(once)]);
  });
});
