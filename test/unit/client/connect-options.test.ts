import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { InvalidParamsError } from '../../../src/core/base/errors.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';

const clientInfo = { name: 'my-editor', version: '1.0.0' };
const terminals = { create() {}, output() {}, waitForExit() {}, kill() {} };

type Wrong = readonly [what: string, options: unknown, ...message: readonly string[]];

const versions = 'protocolVersions must be a list of 1, 2 or both';

/** Options that are wrong beside the name of the editor, and parts of the error's message. */
const wrongBeside: readonly Wrong[] = [
  ['a misspelt option', { handler: {} }, 'handler is not an option', 'handlers'],
  ['an unknown version', { protocolVersions: [3] }, `${versions}; got [3]`],
  ['a number as list of versions', { protocolVersions: 1 }, `${versions}; got 1`],
  ['an empty list of versions', { protocolVersions: [] }, `${versions}; got []`],
  [
    'an unknown dialect',
    { dialect: 'v3' },
    'dialect must be one of v1, v2-markers, v2-baseline',
    '; got "v3"',
  ],
  [
    'a dialect of a version that is not offered',
    { protocolVersions: [1], dialect: 'v2-baseline' },
    'dialect "v2-baseline" is of a version that protocolVersions [1] excludes',
    'Leave one of the two out',
  ],
  [
    'folders as paths',
    { paths: [{ editor: '/a' }] },
    'paths must be what pathMap returned; got [{"editor":"/a"}]',
  ],
  [
    'functions as paths',
    { paths: { toAgent() {}, toEditor() {} } },
    'paths must be what pathMap returned; got',
  ],
  [
    'a time limit of 0',
    { initializeIdleTimeoutMs: 0 },
    'initializeIdleTimeoutMs must be',
    'above 0, or Infinity; got 0',
  ],
  ['a text as time limit', { stallAfterMs: '1s' }, 'stallAfterMs must be', '; got "1s"'],
  ['reconnect without a start', { reconnect: {} }, 'to reconnect', 'pass a function'],
  [
    'true as reconnect',
    { reconnect: true },
    'reconnect must be an object with maxAttempts',
    '; got a boolean',
  ],
  [
    'a misspelt option of reconnect',
    { reconnect: { attempts: 3 } },
    'reconnect.attempts is not an option',
    'maxAttempts',
  ],
  [
    'a delay that is too long for a timer',
    { reconnect: { maxDelayMs: 2 ** 31 } },
    'reconnect.maxDelayMs must be a number from 0 to 2147483647; got 2147483648',
  ],
  ['a text as trace', { trace: 'trace.ndjson' }, 'trace must be an object with write', '; got trace.ndjson'],
  ['an object as listener', { onDiagnostic: console }, 'onDiagnostic must be a function; got an object'],
  [
    'an object as callMeta',
    { callMeta: { traceparent: '00' } },
    'callMeta must be a function; got an object',
  ],
  [
    'a controller as signal',
    { signal: new AbortController() },
    'signal must be the signal of an AbortController; got an object',
  ],
  [
    'a function as handlers',
    { handlers: () => {} },
    'handlers must be an object with',
    'requestPermission, readTextFile',
  ],
  [
    'a misspelt handler',
    { handlers: { onPermission() {} } },
    'handlers.onPermission is not an option',
    'requestPermission',
  ],
  [
    'true as handler',
    { handlers: { requestPermission: true } },
    'requestPermission must be a function; got a boolean',
  ],
  [
    'a function as terminals',
    { handlers: { terminals: () => {} } },
    'handlers.terminals must be an object; got a function',
  ],
  ['terminals without release', { handlers: { terminals } }, 'handlers.terminals.release is missing'],
  [
    'an unknown mode of elicitation',
    { handlers: { elicit: { voice() {} } } },
    'handlers.elicit.voice is not an option',
    'form, url, completed',
  ],
  [
    'an extension without "_"',
    { handlers: { extensions: { 'x/y': () => 1 } } },
    'handlers.extensions.x/y',
    'begin with "_"',
  ],
  [
    'a number as extension',
    { handlers: { extensions: { _x: 1 } } },
    'handlers.extensions._x must be a function; got a number',
  ],
];

const wrong: readonly Wrong[] = [
  ['no options', undefined, '; got undefined', 'clientInfo'],
  ['no client information', {}, 'clientInfo is missing'],
  ['client information without a version', { clientInfo: { name: 'x' } }, 'clientInfo', "version: '1.0.0'"],
  ...wrongBeside.map(
    ([what, options, ...message]): Wrong => [what, Object.assign({ clientInfo }, options), ...message],
  ),
];

test.each(wrong)('%s is refused', async (_, options, ...message) => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  let ended = false;
  agent.channel.onEnd(() => {
    ended = true;
  });
  const error = await connect(agent.transport, options as never).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidParamsError);
  for (const part of [...message, 'Nothing was sent.']) expect((error as Error).message).toContain(part);
  await new Promise((resolve) => setTimeout(resolve));
  // A failed attempt closes the agent.
  expect({ received: agent.received, ended }).toEqual({ received: [], ended: true });
});

test.each([undefined, null, {}, 'npx some-agent', async () => undefined])(
  'an agent that is %s is refused',
  async (agent) => {
    const error = await connect(agent as never, { clientInfo }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(String(error)).toContain('pass what spawnAgent returned');
  },
);

test('a function may start the agent asynchronously', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  const connection = await connect(async () => agent.transport, { clientInfo });
  expect(connection.protocolVersion).toBe(1);
  await connection.close();
});

test('connect rejects with what the function throws', async () => {
  const failure = new Error('not today');
  const start = () => {
    throw failure;
  };
  await expect(connect(start, { clientInfo })).rejects.toBe(failure);
});

test('a second connection to the same agent is refused, and the first one works on', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1).on('session/list', { sessions: [] });
  const connection = await connect(agent.transport, { clientInfo });
  const error = await connect(agent.transport, { clientInfo }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(String(error)).toContain('a connection already');
  expect(await connection.listSessions().page()).toEqual({ sessions: [] });
  await connection.close();
});

test('an instance of a class may have members besides handlers', async () => {
  class Editor {
    readonly windows = 3;
    asked = 0;
    requestPermission() {
      this.asked += this.windows;
      return { outcome: 'cancelled' } as const;
    }
  }
  const editor = new Editor();
  const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId: 's1' });
  const connection = await connect(agent.transport, { clientInfo, handlers: editor });
  await connection.newSession({ cwd: '/' });
  await agent.request('session/request_permission', {
    sessionId: 's1',
    toolCall: { toolCallId: 't' },
    options: [],
  });
  expect(editor.asked).toBe(3);
  await connection.close();
});
