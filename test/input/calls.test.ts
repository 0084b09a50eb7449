import { describe, expect, test } from 'vitest';
import type { ClientConnection } from '../../src/client/connection.ts';
import type { Session } from '../../src/client/session.ts';
import { AcpError, UsageError } from '../../src/errors.ts';
import { dialectNames, everything } from '../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sent,
  sentSinceInitialize,
} from '../support/open-session.ts';

/** What an editor gets wrong, in JavaScript or by a cast. */
type Wrong = readonly [what: string, given: unknown, says: readonly string[]];

const sessions: readonly Wrong[] = [
  ['no parameters', undefined, ['parameters', 'cwd, mcpServers', 'undefined']],
  ['a path for parameters', '/home', ['parameters', '/home']],
  ['no working directory', {}, ['cwd is missing']],
  ['a relative working directory', { cwd: 'project' }, ['cwd', '"project"', 'give the full path']],
  ['an empty working directory', { cwd: '' }, ['cwd', '""', 'give the full path']],
  ['a URI for a working directory', { cwd: 'file:///x' }, ['cwd', '"file:///x"', 'give the full path']],
  ['the home directory of a shell', { cwd: '~/project' }, ['cwd', '"~/project"']],
  ['a number for a working directory', { cwd: 7 }, ['cwd must be a string, and is 7']],
  [
    'a relative root',
    { cwd, additionalDirectories: ['/a', 'b'] },
    ['additionalDirectories.1', '"b"', 'give the full path'],
  ],
  ['an empty root', { cwd, additionalDirectories: [''] }, ['additionalDirectories.0', '""']],
  [
    'one root for a list',
    { cwd, additionalDirectories: '/a' },
    ['additionalDirectories must be a list', '"/a"'],
  ],
  [
    'a root that is none',
    { cwd, additionalDirectories: [null] },
    ['additionalDirectories.0 must be a string, and is null'],
  ],
  [
    'a relative command',
    { cwd, mcpServers: [{ name: 'x', command: 'npx' }] },
    ['mcpServers.0.command', '"npx"', 'give the full path'],
  ],
  ['a server without a name', { cwd, mcpServers: [{ command: '/npx' }] }, ['mcpServers.0.name is missing']],
  [
    'a server without an address',
    { cwd, mcpServers: [{ type: 'http', name: 'x' }] },
    ['mcpServers.0.url is missing'],
  ],
  [
    'an object for variables',
    { cwd, mcpServers: [{ name: 'x', command: '/x', env: {} }] },
    ['mcpServers.0.env must be a list, and is an object'],
  ],
  ['servers by name', { cwd, mcpServers: { x: {} } }, ['mcpServers must be a list, and is an object']],
  ['a server that is none', { cwd, mcpServers: [null] }, ['mcpServers.0 must be an object, and is null']],
  [
    'a transport that nobody has',
    { cwd, mcpServers: [{ type: 'ws', name: 'x', url: 'u' }] },
    ['mcpServers.0.type', '"ws"'],
  ],
  ['a misspelt option', { cwd, mcpservers: [] }, ['"mcpservers"', 'mcpServers', '_meta']],
  ['an option of another call', { cwd, timeout: 5 }, ['"timeout"', 'timeoutMs']],
  ['no number for a time limit', { cwd, timeoutMs: 'soon' }, ['timeoutMs is soon', 'above 0', 'Infinity']],
  ['no time at all', { cwd, timeoutMs: 0 }, ['timeoutMs is 0', 'above 0']],
  ['a controller for a signal', { cwd, signal: new AbortController() }, ['signal is', 'AbortController']],
];

/** Expects an error of the editor's making: it says what, with which value, and that nothing was sent. */
async function expectRefused(call: () => Promise<unknown>, says: readonly string[]): Promise<void> {
  const error = await call().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(UsageError);
  expect(AcpError.is(error)).toBe(true);
  for (const part of [...says, 'Nothing was sent.']) expect((error as Error).message).toContain(part);
}

describe.each(dialectNames)('opening a session in %s', (dialect) => {
  test.each(sessions)('%s', async (_, given, says) => {
    const { agent, connection } = await connectFlushable(everything[dialect]);
    await expectRefused(() => connection.newSession(given as never), says);
    if (typeof given === 'object') {
      const open = { sessionId: 's1', ...given };
      await expectRefused(() => connection.loadSession(open as never), says);
      await expectRefused(() => connection.resumeSession(open as never), says);
      await expectRefused(() => connection.restoreSession(open as never), says);
      await expectRefused(() => connection.forkSession(open as never), says);
    }
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
    expect(connection.sessions).toEqual([]);
  });

  test('what stands under keys that hold secrets is not repeated', async () => {
    const { connection } = await connectFlushable(everything[dialect]);
    const secret = 'sk-12345';
    const servers = [
      { name: 'x', command: '/x', env: secret },
      { name: 'x', command: '/x', args: secret },
      { name: 'x', command: '/x', env: [secret] },
      {
        type: 'http',
        name: 'x',
        url: 'https://example.com',
        headers: [{ name: 'a', value: secret }, secret],
      },
    ];
    for (const server of servers) {
      const error = await connection
        .newSession({ cwd, mcpServers: [server as never] })
        .catch((failure) => failure);
      expect(error).toMatchObject({ code: 'usage.params' });
      expect(JSON.stringify([error.message, error.issues])).not.toContain(secret);
    }
  });

  test('a transport that was not advertised names its feature', async () => {
    const { agent, connection } = await connectFlushable({ protocolVersion: 1, agentCapabilities: {} });
    const mcpServers = [{ type: 'http', name: 'x', url: 'https://example.com' }] as const;
    await expectRefused(
      () => connection.newSession({ cwd, mcpServers }),
      [
        'session.mcp.http',
        'agentCapabilities.mcpCapabilities.http',
        "connection.supports('session.mcp.http')",
      ],
    );
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  });
});

/** Every call that names a session, without a name for it. */
const namelessCalls = (
  [
    ['load', (connection) => connection.loadSession({ sessionId: '', cwd })],
    ['resume', (connection) => connection.resumeSession({ sessionId: '', cwd })],
    ['restore', (connection) => connection.restoreSession({ sessionId: '', cwd })],
    ['fork', (connection) => connection.forkSession({ sessionId: '', cwd })],
    ['delete', (connection) => connection.deleteSession('')],
    ['delete, come what may', (connection) => connection.deleteSession('', { allowUnsupported: true })],
    ['archive', (connection) => connection.archiveSession('')],
    ['ask the status of', (connection) => connection.sessionStatus('')],
    ['name', (connection) => connection.setSessionTitle('', 'A title')],
    [
      'load by hand',
      (connection) => connection.request('session/load', { sessionId: '', cwd, mcpServers: [] }),
    ],
    ['cancel by hand', (connection) => connection.notify('session/cancel', { sessionId: '' })],
  ] as const satisfies readonly (readonly [string, (connection: ClientConnection) => Promise<unknown>])[]
).map(
  ([what, call]) =>
    [`a session without a name to ${what}`, call, ['sessionId is ""', 'listSessions']] as const,
);

const ofConnection: readonly (readonly [
  string,
  (connection: ClientConnection) => Promise<unknown>,
  readonly string[],
])[] = [
  [
    'a relative filter',
    (connection) => connection.listSessions({ cwd: '.' }).page(),
    ['cwd', '"."', 'full path'],
  ],
  [
    'a number for a cursor',
    (connection) => connection.listSessions().page(5 as never),
    ['cursor must be a string, and is 5'],
  ],
  [
    'an unknown filter',
    (connection) => connection.listSessions({ limit: 5 } as never).page(),
    ['"limit"', 'cwd, cursor'],
  ],
  [
    'no session to delete',
    (connection) => connection.deleteSession(undefined as never),
    ['sessionId is missing'],
  ],
  ...namelessCalls,
  [
    'a kind of history that nobody has',
    (connection) => connection.restoreSession({ sessionId: 's', cwd, history: 'all' as never }),
    ['"all"', 'prefer, require, skip'],
  ],
  ['a login that is not offered', (connection) => connection.login('sso'), ['"sso"', 'choose one of key']],
  [
    'parameters that are a list',
    (connection) => connection.request('_x', [1] as never),
    ['an object', '[1]'],
  ],
  ['what JSON cannot say', (connection) => connection.request('_x', { n: 1n as never }), ['_x', 'JSON']],
  ['a circle', (connection) => connection.request('_x', circle()), ['_x', 'JSON']],
  [
    'a notification for a request',
    (connection) => connection.request('session/cancel', { sessionId: 's' }),
    ['session/cancel', 'use notify'],
  ],
  [
    'initialize, again',
    (connection) => connection.request('initialize', {}),
    ['initialize', 'connect sends it'],
  ],
];

function circle(): never {
  const around: Record<string, unknown> = {};
  around['self'] = around;
  return around as never;
}

test.each(ofConnection)('%s', async (_, call, says) => {
  const { agent, connection } = await connectFlushable(everything.v1);
  await expectRefused(() => call(connection), says);
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

const ofSession: readonly (readonly [string, (session: Session) => Promise<unknown>, readonly string[]])[] = [
  ['an empty text', (session) => session.prompt(''), ['an empty text', 'something to say']],
  ['no blocks', (session) => session.prompt([]), ['no blocks', 'something to say']],
  [
    'no prompt',
    (session) => session.prompt(undefined as never),
    ['undefined', 'a text, or a list of blocks'],
  ],
  [
    'one block for a list',
    (session) => session.prompt({ type: 'text', text: 'x' } as never),
    ['a text, or a list of blocks'],
  ],
  [
    'a text for a block',
    (session) => session.prompt(['x'] as never),
    ['prompt.0 must be an object, and is "x"'],
  ],
  [
    'a block without its text',
    (session) => session.prompt([{ type: 'text' } as never]),
    ['prompt.0.text is missing'],
  ],
  [
    'a block that nobody has',
    (session) => session.prompt([{ type: 'video' } as never]),
    ['prompt.0.type', '"video"', 'resource_link'],
  ],
  ['a text for a signal', (session) => session.prompt('Hi', { signal: 'stop' as never }), ['signal is stop']],
  [
    'an option that the session lacks',
    (session) => session.setConfigOption('speed', 'x'),
    ['"speed"', 'choose one of "model"'],
  ],
  [
    'a value that the option lacks',
    (session) => session.setConfigOption('model', 'huge'),
    ['"huge"', 'choose one of "small"'],
  ],
  [
    'a setting that the session lacks',
    (session) => session.change('speed', 'x'),
    ['"speed"', 'choose one of "model"'],
  ],
];

describe.each(dialectNames)('a session in %s', (dialect) => {
  test.each(ofSession)('%s', async (_, call, says) => {
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
    await expectRefused(() => call(session), says);
    await flush(agent);
    expect(sent(agent)).toEqual([]);
    expect(conversation()).toBe(before);
  });

  test('a closed session says so, and what to do', async () => {
    const { agent, session } = await openSession(dialect, {
      script: (agent) => agent.on('session/close', {}),
    });
    await session.close();
    for (const call of [
      () => session.prompt('Hi'),
      () => session.cancel(),
      () => session.setConfigOption('a', 'b'),
    ]) {
      await expectRefused(call, ['the session s1, which is closed', 'Load or resume']);
    }
    await flush(agent);
    expect(sent(agent).map(({ method }) => method)).toEqual(['session/close']);
  });
});

test('a mode that the session lacks names those it has', async () => {
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
  const { agent, session } = await openSession('v1', { opened: { modes } });
  await expectRefused(() => session.setMode('code'), ['"code"', 'choose one of "ask"']);
  const { session: bare } = await openSession('v1');
  await expectRefused(() => bare.setMode('code'), ['"code"', 'the session offers none']);
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('a prompt that is refused does not end in an unhandled rejection', async () => {
  const { session } = await openSession('v1');
  const turn = session.prompt('');
  await expect(turn.accepted).rejects.toMatchObject({ code: 'usage.params' });
  await expect(turn).rejects.toMatchObject({ code: 'usage.params' });
});

test('a limit beyond what a timer takes is no limit', async () => {
  const { connection } = await connectFlushable(everything.v1, {
    script: (agent) =>
      agent.on('session/list', () => new Promise((resolve) => setTimeout(resolve, 20, { sessions: [] }))),
  });
  expect(await connection.listSessions({ timeoutMs: Number.POSITIVE_INFINITY }).page()).toEqual({
    sessions: [],
  });
  expect(await connection.listSessions({ timeoutMs: 2 ** 40 }).page()).toEqual({ sessions: [] });
});
