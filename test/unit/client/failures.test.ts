import { describe, expect, test } from 'vitest';
import {
  ConnectionClosedError,
  InvalidMessageError,
  MethodNotFoundError,
  RemoteError,
  UsageError,
} from '../../../src/core/base/errors.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { exitError } from '../../../src/node/process/exit-error.ts';
import { connectTo, dialectNames, everything, refuses } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, openSession, outline } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';

function unknown(): never {
  throw new RequestError(-32601, 'Method not found', { method: 'x' });
}

describe.each(dialectNames)('an agent without a method that it advertised, in %s', (dialect) => {
  test('its answer is an error of the agent, with what it sent and what it advertised', async () => {
    const { session } = await openSession(dialect, {
      answers: { 'session/close': unknown },
    });
    const error = await session.close().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(MethodNotFoundError);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).not.toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      code: 'remote.method_not_found',
      method: 'session/close',
      rpcCode: -32601,
      data: { method: 'x' },
      agentMessage: 'Method not found',
      message: expect.stringContaining('although it advertised it'),
      feature: 'session.close',
      missing: [{ feature: 'session.close', reason: expect.stringContaining('The agent advertised it') }],
    });
    expect(session.isClosed).toBe(false);
  });

  test('an extension method needs no capability', async () => {
    const { connection } = await openSession(dialect, { answers: { _x: unknown } });
    await expect(connection.request('_x')).rejects.toMatchObject({
      code: 'remote.method_not_found',
      missing: [],
      feature: '',
    });
  });
});

test('a session is loaded after a crash if the agent does not know how to resume it', async () => {
  const restarting = await connectRestarting((agent) =>
    agent.on('initialize', everything.v1).on('session/resume', unknown).on('session/load', {}),
  );
  const { agents, connection } = restarting;
  const session = await connection.newSession({ cwd });
  await crash(restarting, 'reconnecting');
  await connection.ready;
  expect(agents[1]?.calls('session/load')).toHaveLength(1);
  expect(session.isClosed).toBe(false);
});

// In version 2 the agent goes on, and its idle state ends the turn.
test('a prompt of version 1 stays where the answer of the agent cannot be read', async () => {
  const { session, conversation } = await openSession('v1', {
    answers: { 'session/prompt': { stopReason: 5 } },
  });
  const error = await session.prompt('Go.').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InvalidMessageError);
  expect(error).not.toHaveProperty('promptAccepted');
  expect(outline(conversation())).toEqual(['user: Go.']);
});

test.each(dialectNames)(
  'a prompt after connection.close is refused, and leaves nothing behind (%s)',
  async (dialect) => {
    const { agent, connection, session, conversation } = await openSession(dialect);
    const closing = connection.close();
    await new Promise(setImmediate);
    const error = await session.prompt('Go.').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'usage.state',
      message: expect.stringContaining('Nothing was sent'),
    });
    await closing;
    expect(agent.calls('session/prompt')).toEqual([]);
    expect(outline(conversation())).toEqual([]);
  },
);

/** Clears the screen, sets the title, hides what follows, rings, and turns text around. */
const hostile = '\x1b[2J\x1b]0;title\x07\x9b8mpassword\x08\x08\x1bP1;2q\x1b\\\u202efdp.exe\r\x00';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const acting = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

test('[security: terminal-safe-errors] the message of an error has no control characters of the agent', async () => {
  const { connection } = await connectTo(
    { ...everything.v1, agentInfo: { name: hostile, version: hostile }, agentCapabilities: {} },
    {
      answers: { 'session/new': refuses(-32000, hostile) },
    },
  );
  const errors = await Promise.all(
    [
      connection.newSession({ cwd }),
      connection.loadSession({ cwd, sessionId: 's1' }),
      connection.login(hostile),
    ].map((call) => call.then(String, (error: Error) => error.message)),
  );
  expect(errors).toHaveLength(3);
  for (const message of errors) expect(message).not.toMatch(acting);
});

test('[security: terminal-safe-errors] the stderr in an error has no control characters', () => {
  const error = exitError('agent', { exitCode: 1, signal: null, stderrTail: `one\n${hostile}\ntwo` });
  expect(error.message).toContain('one');
  expect(error.message).toContain('two');
  expect(error.message).not.toMatch(acting);
});

test('[security: terminal-safe-errors] an error constructed by hand has no control characters', () => {
  expect(new ConnectionClosedError(`a${hostile}b`).message).not.toMatch(acting);
});

test('[security: terminal-safe-errors] the message of a diagnostic has no control characters of the agent', async () => {
  const { agent, diagnostics } = await connectTo(everything.v1);
  agent.channel.write(`${hostile}\n`);
  agent.notify(hostile, { said: hostile });
  agent.channel.send(
    { jsonrpc: '2.0', error: { code: 1, message: hostile } },
    { jsonrpc: '2.0', id: hostile, result: 1 },
  );
  await eventually(() => diagnostics.length).toBe(4);
  for (const { message, received = '' } of diagnostics) {
    expect(message).not.toMatch(acting);
    expect(received).not.toMatch(acting);
  }
});

test('a long text of the agent is shortened in errors', async () => {
  const long = 'x'.repeat(1_000_000);
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    answers: { 'session/new': refuses(1, long) },
  });
  agent.notify(long, { said: long });
  const error = await connection.newSession({ cwd }).catch((reason: Error) => reason);
  expect((error as Error).message.length).toBeLessThan(5000);
  expect(JSON.stringify(diagnostics).length).toBeLessThan(5000);
});
