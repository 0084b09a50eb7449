import { describe, expect, test } from 'vitest';
import { AcpError, UsageError } from '../../../src/core/base/errors.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sent,
  sentSinceInitialize,
} from '../../support/open-session.ts';

/** A wrong argument, which JavaScript or a cast allows, and parts of the message of its error. */
type Wrong = readonly [given: unknown, message: readonly string[]];

const absolute = 'must be an absolute path; got';
/** What turns servers in another form, such as that of mcp.json, into these. */
const converter = 'mcpServersFromConfig of acp-client-sdk/node';
const image = { type: 'image', mimeType: 'image/png', data: 'data:image/png;base64,AAAA' };

const sessions: readonly Wrong[] = [
  [undefined, ['parameters', 'cwd, mcpServers', 'undefined']],
  ['/home', ['parameters', '/home']],
  [{}, ['cwd is missing']],
  [{ cwd: 'project' }, ['cwd', '"project"', absolute]],
  [{ cwd: '' }, ['cwd', '""', absolute]],
  [{ cwd: 'file:///x' }, ['cwd', '"file:///x"', absolute]],
  [{ cwd: '~/project' }, ['cwd', '"~/project"']],
  [{ cwd: 7 }, ['cwd must be a string; got 7']],
  [{ cwd, additionalDirectories: ['/a', 'b'] }, ['additionalDirectories.1', '"b"', absolute]],
  [{ cwd, additionalDirectories: [''] }, ['additionalDirectories.0', '""']],
  [{ cwd, additionalDirectories: '/a' }, ['additionalDirectories must be an array', '"/a"']],
  [{ cwd, additionalDirectories: [null] }, ['additionalDirectories.0 must be a string; got null']],
  [
    { cwd, mcpServers: [{ name: 'x', command: 'npx' }] },
    ['mcpServers.0.command', '"npx"', absolute, converter],
  ],
  [{ cwd, mcpServers: [{ command: '/npx' }] }, ['mcpServers.0.name is missing']],
  [{ cwd, mcpServers: [{ type: 'http', name: 'x' }] }, ['mcpServers.0.url is missing']],
  [
    { cwd, mcpServers: [{ name: 'x', command: '/x', env: {} }] },
    ['mcpServers.0.env must be an array; got an object', converter],
  ],
  [{ cwd, mcpServers: { x: {} } }, ['mcpServers must be an array; got an object', converter]],
  [{ cwd, mcpServers: [null] }, ['mcpServers.0 must be an object; got null']],
  [{ cwd, mcpServers: [{ type: 'ws', name: 'x', url: 'u' }] }, ['mcpServers.0.type', '"ws"']],
  [
    { cwd, systemPrompt: { mode: 'append', content: [image] } },
    ['systemPrompt.content.0.data must be base64 without the "data:image/png;base64," prefix'],
  ],
  [{ cwd, systemPrompt: { mode: 'append', content: [] } }, ['systemPrompt.content']],
  [{ cwd, mcpservers: [] }, ['"mcpservers"', 'mcpServers', '_meta']],
  [{ cwd, timeout: 5 }, ['"timeout" is not a parameter']],
  [{ cwd, timeoutMs: 5 }, ['"timeoutMs" is not a parameter', 'pass it in the second argument']],
];

const callOptions: readonly Wrong[] = [
  [{ timeoutMs: 'soon' }, ['timeoutMs must be', '; got "soon"', 'above 0', 'Infinity']],
  [{ timeoutMs: 0 }, ['timeoutMs must be', '; got 0', 'above 0']],
  [{ signal: new AbortController() }, ['signal must be', 'AbortController']],
  [{ meta: 'trace' }, ['meta must be an object']],
  [{ timeout: 5 }, ['timeout is not an option', 'timeoutMs']],
];

/** Expects that a call rejects with a usage error whose message has these parts, and message that nothing was sent. */
async function expectRefused(call: () => Promise<unknown>, message: readonly string[]): Promise<void> {
  const error = await call().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(UsageError);
  expect(AcpError.is(error)).toBe(true);
  for (const part of [...message, 'Nothing was sent.']) expect((error as Error).message).toContain(part);
}

describe.each(dialectNames)('opening a session in %s', (dialect) => {
  test.each(callOptions)('the options %j are refused', async (options, message) => {
    const { agent, connection } = await connectFlushable(everything[dialect]);
    const open = { sessionId: 's1', cwd };
    const wrong = options as never;
    await expectRefused(() => connection.newSession({ cwd }, wrong), message);
    await expectRefused(() => connection.loadSession(open, wrong), message);
    await expectRefused(() => connection.resumeSession(open, wrong), message);
    await expectRefused(() => connection.openSession(open, wrong), message);
    await expectRefused(() => connection.forkSession(open, wrong), message);
    await expectRefused(() => connection.listSessions({}, wrong).page(), message);
    await expectRefused(() => connection.deleteSession('s1', wrong), message);
    await expectRefused(() => connection.request('_example.com/status', {}, wrong), message);
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
    expect(connection.sessions).toEqual([]);
  });

  test('an option of loading or resuming that is wrong is refused, with the options that the call has', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect]);
    const open = { sessionId: 's1', cwd };
    const progress = { onProgress: 'shown' } as never;
    const misspelt = { onprogress() {} } as never;
    await expectRefused(
      () => connection.loadSession(open, progress),
      ['onProgress must be a function; got a string'],
    );
    await expectRefused(() => connection.openSession(open, progress), ['must be a function; got a string']);
    await expectRefused(
      () => connection.loadSession(open, misspelt),
      ['meta, extraParams, requires, onProgress'],
    );
    await expectRefused(
      () => connection.resumeSession(open, misspelt),
      ['meta, extraParams, requires, conversation'],
    );
    await expectRefused(() => connection.openSession(open, misspelt), ['onProgress, conversation']);
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  });

  test.each(sessions)('[27,28,32,80] v1, v2, v2-markers with %j is refused', async (given, message) => {
    const { agent, connection } = await connectFlushable(everything[dialect]);
    await expectRefused(() => connection.newSession(given as never), message);
    if (typeof given === 'object') {
      const open = { sessionId: 's1', ...given };
      await expectRefused(() => connection.loadSession(open as never), message);
      await expectRefused(() => connection.resumeSession(open as never), message);
      await expectRefused(() => connection.openSession(open as never), message);
      await expectRefused(() => connection.forkSession(open as never), message);
    }
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
    expect(connection.sessions).toEqual([]);
  });
});

/** Every call that names a session, with an empty id. */
const callsWithoutId: Readonly<Record<string, (connection: ClientConnection) => Promise<unknown>>> = {
  load: (connection) => connection.loadSession({ sessionId: '', cwd }),
  resume: (connection) => connection.resumeSession({ sessionId: '', cwd }),
  restore: (connection) => connection.openSession({ sessionId: '', cwd }),
  fork: (connection) => connection.forkSession({ sessionId: '', cwd }),
  delete: (connection) => connection.deleteSession(''),
  'delete unsupported': (connection) => connection.deleteSession('', { allowUnsupported: true }),
  archive: (connection) => connection.request('session/archive', { sessionId: '' }),
  'ask the status of': (connection) => connection.request('session/status', { sessionId: '' }),
  'set the title of': (connection) =>
    connection.request('session/set_title', { sessionId: '', title: 'A title' }),
  'load by name': (connection) => connection.request('session/load', { sessionId: '', cwd, mcpServers: [] }),
  'cancel by name': (connection) => connection.notify('session/cancel', { sessionId: '' }),
};

const ofConnection: readonly (readonly [
  string,
  (connection: ClientConnection) => Promise<unknown>,
  readonly string[],
])[] = [
  [
    'a relative filter',
    (connection) => connection.listSessions({ cwd: '.' }).page(),
    ['cwd', '"."', absolute],
  ],
  [
    'a number for a cursor',
    (connection) => connection.listSessions().page(5 as never),
    ['cursor must be a string; got 5'],
  ],
  [
    'an unknown filter',
    (connection) => connection.listSessions({ limit: 5 } as never).page(),
    ['"limit"', 'cwd, cursor'],
  ],
  [
    'a deletion without a session id',
    (connection) => connection.deleteSession(undefined as never),
    ['sessionId is missing'],
  ],
  ...Object.entries(callsWithoutId).map(
    ([what, call]) =>
      [
        `an empty session id to ${what}`,
        call,
        ['sessionId must be the id of a session', 'listSessions'],
      ] as const,
  ),
  [
    'an unknown kind of history',
    (connection) => connection.openSession({ sessionId: 's', cwd }, { history: 'all' as never }),
    ['history must be one of prefer, require, skip; got "all"'],
  ],
  [
    'an unknown value of permissions',
    (connection) => connection.newSession({ cwd }, { permissions: 'deny' as never }),
    ["permissions must be 'ask'"],
  ],
  ['a login that is not offered', (connection) => connection.login('sso'), ['"sso"', 'must be one of key']],
  [
    'parameters that are a list',
    (connection) => connection.request('_x', [1] as never),
    ['an object', '[1]'],
  ],
  [
    'a bigint, which JSON does not have,',
    (connection) => connection.request('_x', { n: 1n as never }),
    ['_x', 'JSON'],
  ],
  ['a circular object', (connection) => connection.request('_x', circle()), ['_x', 'JSON']],
  [
    'a notification that is sent as a request',
    (connection) => connection.request('session/cancel', { sessionId: 's' }),
    ['session/cancel', 'use notify'],
  ],
  [
    'a second initialize',
    (connection) => connection.request('initialize', {}),
    ['initialize', 'connect sends it'],
  ],
];

function circle(): never {
  const around: Record<string, unknown> = {};
  around['self'] = around;
  return around as never;
}

test.each(ofConnection)('%s is refused', async (_, call, message) => {
  const { agent, connection } = await connectFlushable(everything.v1);
  await expectRefused(() => call(connection), message);
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

const prompts: readonly Wrong[] = [
  ['', ['an empty text', 'Pass the text']],
  [[], ['no content blocks', 'Pass the text']],
  [undefined, ['undefined', 'a text or a list of content blocks']],
  [{ type: 'text', text: 'x' }, ['a text or a list of content blocks']],
  [['x'], ['prompt.0 must be an object; got "x"']],
  [[{ type: 'text' }], ['prompt.0.text is missing']],
  [[{ type: 'video' }], ['prompt.0.type', '"video"', 'resource_link']],
  [
    [image],
    ['prompt.0.data must be base64 without the "data:image/png;base64," prefix; got "data:image/png;base6…"'],
  ],
  [
    [{ type: 'audio', mimeType: 'audio/wav', data: 'DATA:,AAAA' }],
    ['prompt.0.data must be base64 without the "DATA:," prefix; got "DATA:,AAAA"'],
  ],
  [
    [
      { type: 'text', text: 'Read this.' },
      { type: 'resource', resource: { uri: 'file:///a.pdf', blob: 'data:application/pdf;base64,AAAA' } },
    ],
    ['prompt.1.resource.blob must be base64 without the "data:application/pdf;base64," prefix'],
  ],
];

const ofSession: readonly (readonly [string, (session: Session) => Promise<unknown>, readonly string[]])[] = [
  ...prompts.map(
    ([given, message]) =>
      [
        `the prompt ${JSON.stringify(given)}`,
        (session: Session) => session.prompt(given as never),
        message,
      ] as const,
  ),
  ['a text as signal', (session) => session.prompt('Hi', { signal: 'stop' as never }), ['signal must be']],
  [
    'a setting that the session lacks',
    (session) => session.changeSetting('speed', 'x'),
    ['"speed"', 'must be one of "model"'],
  ],
];

describe.each(dialectNames)('a session in %s', (dialect) => {
  test.each(ofSession)('%s is refused', async (_, call, message) => {
    const option = {
      ...(dialect === 'v1' ? { id: 'model' } : { configId: 'model' }),
      name: 'Model',
      type: 'select',
      currentValue: 'small',
      options: [{ value: 'small', name: 'Small' }],
    };
    const { agent, session, conversation } = await openSession(dialect, {
      opened: { configOptions: [option] },
    });
    const before = conversation();
    await expectRefused(() => call(session), message);
    await flush(agent);
    expect(sent(agent)).toEqual([]);
    expect(conversation()).toBe(before);
  });

  test('calls of a closed session reject and say what to do', async () => {
    const { agent, session } = await openSession(dialect, {
      answers: { 'session/close': {} },
    });
    await session.close();
    for (const call of [() => session.prompt('Hi'), () => session.setConfigOption('a', 'b')]) {
      await expectRefused(call, ['the session s1, which is closed', 'Load or resume']);
    }
    await session.cancel();
    await flush(agent);
    expect(sent(agent).map(({ method }) => method)).toEqual(['session/close']);
  });
});

test('a timeoutMs that is too long for a timer is no limit', async () => {
  const { connection } = await connectFlushable(everything.v1, {
    answers: { 'session/list': () => new Promise((resolve) => setTimeout(resolve, 20, { sessions: [] })) },
  });
  expect(await connection.listSessions({}, { timeoutMs: Number.POSITIVE_INFINITY }).page()).toEqual({
    sessions: [],
  });
  expect(await connection.listSessions({}, { timeoutMs: 2 ** 40 }).page()).toEqual({ sessions: [] });
});

test('a block that this version does not have is refused without the advice to send it anyway', async () => {
  const { session } = await openSession('v1');
  const refused = session.prompt([{ type: 'skill', name: 'pdf' }]);
  await expect(refused).rejects.toThrow(/support\. This .* have it\. Nothing was sent\. .* first\.$/);
});
