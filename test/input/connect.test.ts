import { expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { InvalidParamsError } from '../../src/errors.ts';
import { scriptedAgent } from '../../src/testing/scripted-agent.ts';
import { everything } from '../support/agents.ts';

const clientInfo = { name: 'my-editor', version: '1.0.0' };
const terminals = { create() {}, output() {}, waitForExit() {}, kill() {} };

/** What is wrong with the options, and what the error says of it. */
const wrong: readonly (readonly [what: string, options: unknown, says: readonly string[]])[] = [
  ['no options', undefined, ['the options are undefined', 'clientInfo']],
  ['nobody', {}, ['clientInfo', "name: 'my-editor'"]],
  ['a name alone', { clientInfo: { name: 'x' } }, ['clientInfo']],
  ['a misspelt option', { clientInfo, handler: {} }, ['no option "handler"', 'handlers']],
  [
    'a version that nobody speaks',
    { clientInfo, protocolVersions: [3] },
    ['protocolVersions is [3]', '1, 2 or both'],
  ],
  ['a version for a list', { clientInfo, protocolVersions: 1 }, ['protocolVersions is 1', 'a list']],
  ['no version at all', { clientInfo, protocolVersions: [] }, ['protocolVersions is []']],
  ['an unknown dialect', { clientInfo, dialect: 'v3' }, ['dialect is v3', 'v1, v2-markers, v2-baseline']],
  ['no time', { clientInfo, initializeTimeoutMs: 0 }, ['initializeTimeoutMs is 0', 'above 0']],
  ['a text for a time', { clientInfo, stallAfterMs: '1s' }, ['stallAfterMs is 1s']],
  [
    'an agent that cannot be started again',
    { clientInfo, reconnect: {} },
    ['to reconnect', 'give connect a function'],
  ],
  [
    'a mere yes to reconnecting',
    { clientInfo, reconnect: true },
    ['reconnect is true', '{} for the defaults'],
  ],
  [
    'a misspelt option of reconnect',
    { clientInfo, reconnect: { attempts: 3 } },
    ['no option in reconnect "attempts"', 'maxAttempts'],
  ],
  [
    'a delay that no timer takes',
    { clientInfo, reconnect: { maxDelayMs: 2 ** 31 } },
    ['maxDelayMs in reconnect is 2147483648', 'from 0 to 2147483647'],
  ],
  ['a trace that takes nothing', { clientInfo, trace: 'trace.ndjson' }, ['trace is trace.ndjson', 'write']],
  ['a listener that is none', { clientInfo, onDiagnostic: console }, ['onDiagnostic is', 'a function']],
  ['a signal that is none', { clientInfo, signal: new AbortController() }, ['signal is', 'AbortController']],
  [
    'a function for handlers',
    { clientInfo, handlers: () => {} },
    ['handlers is', 'requestPermission, readTextFile'],
  ],
  [
    'a misspelt handler',
    { clientInfo, handlers: { onPermission() {} } },
    ['no handler "onPermission"', 'requestPermission'],
  ],
  [
    'a handler that is none',
    { clientInfo, handlers: { requestPermission: true } },
    ['requestPermission is true', 'a function'],
  ],
  [
    'a function for terminals',
    { clientInfo, handlers: { terminals: () => {} } },
    ['terminals is', 'an object of functions'],
  ],
  [
    'terminals without release',
    { clientInfo, handlers: { terminals } },
    ['release in terminals is undefined'],
  ],
  [
    'a mode that nobody has',
    { clientInfo, handlers: { elicit: { voice() {} } } },
    ['elicit "voice"', 'form, url, completed'],
  ],
  [
    'an extension of the protocol',
    { clientInfo, handlers: { extensions: { 'x/y': () => 1 } } },
    ['"x/y"', 'begin with "_"'],
  ],
  [
    'an extension that is none',
    { clientInfo, handlers: { extensions: { _x: 1 } } },
    ['_x in extensions is 1'],
  ],
];

test.each(wrong)('%s', async (_, options, says) => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  let ended = false;
  agent.channel.onEnd(() => {
    ended = true;
  });
  const error = await connect(agent.transport, options as never).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidParamsError);
  for (const part of [...says, 'Nothing was sent.']) expect((error as Error).message).toContain(part);
  await new Promise((resolve) => setTimeout(resolve));
  // The agent belongs to the attempt, and goes with it.
  expect({ received: agent.received, ended }).toEqual({ received: [], ended: true });
});

test.each([undefined, null, {}, 'npx some-agent'])('an agent that is %j', async (agent) => {
  const error = await connect(agent as never, { clientInfo }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(String(error)).toContain('spawnAgent');
});

test('a function may take its time to start the agent', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  const connection = await connect(async () => agent.transport, { clientInfo });
  expect(connection.protocolVersion).toBe(1);
  await connection.close();
});

test('a function that starts no agent', async () => {
  const error = await connect(async () => undefined as never, { clientInfo }).catch(
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(String(error)).toContain('the agent is undefined; give what spawnAgent returned');
});

test('a function that fails to start the agent says why itself', async () => {
  const failure = new Error('not today');
  const start = () => {
    throw failure;
  };
  await expect(connect(start, { clientInfo })).rejects.toBe(failure);
});

test('whoever leaves while the agent is started leaves no agent behind', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1);
  const ended = new Promise<void>((resolve) => agent.channel.onEnd(resolve));
  const control = new AbortController();
  const start = async () => {
    control.abort('gone');
    return agent.transport;
  };
  await expect(connect(start, { clientInfo, signal: control.signal })).rejects.toBe('gone');
  await ended;
});

test('an agent has one connection, and keeps it when another is asked for', async () => {
  const agent = scriptedAgent().on('initialize', everything.v1).on('session/list', { sessions: [] });
  const connection = await connect(agent.transport, { clientInfo });
  const error = await connect(agent.transport, { clientInfo }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(String(error)).toContain('a connection already');
  expect(await connection.listSessions().page()).toEqual({ sessions: [] });
  await connection.close();
});

test('an object of a class of the editor’s own may have what it likes beside its handlers', async () => {
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
