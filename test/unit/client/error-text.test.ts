import { expect, test } from 'vitest';
import { ConnectionClosedError } from '../../../src/base/errors.ts';
import { exitError } from '../../../src/node/exit-error.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';

/** Clears the screen, sets the title, hides what follows, rings, and turns text around. */
const hostile = '\x1b[2J\x1b]0;title\x07\x9b8mpassword\x08\x08\x1bP1;2q\x1b\\\u202efdp.exe\r\x00';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const acting = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

test('[security: terminal-safe-errors] the message of an error has no control characters of the agent', async () => {
  const { connection } = await connectTo(
    { ...everything.v1, agentInfo: { name: hostile, version: hostile }, agentCapabilities: {} },
    {
      script: (agent) =>
        agent.on('session/new', () => {
          throw new RequestError(-32000, hostile);
        }),
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

test('the stderr in an error has no control characters', () => {
  const error = exitError('agent', { exitCode: 1, signal: null, stderrTail: `one\n${hostile}\ntwo` });
  expect(error.message).toContain('one');
  expect(error.message).toContain('two');
  expect(error.message).not.toMatch(acting);
});

test('an error constructed by hand has no control characters', () => {
  expect(new ConnectionClosedError(`a${hostile}b`).message).not.toMatch(acting);
});

test('the message of a diagnostic has no control characters of the agent', async () => {
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
    script: (scripted) =>
      scripted.on('session/new', () => {
        throw new RequestError(1, long);
      }),
  });
  agent.notify(long, { said: long });
  const error = await connection.newSession({ cwd }).catch((reason: Error) => reason);
  expect((error as Error).message.length).toBeLessThan(5000);
  expect(JSON.stringify(diagnostics).length).toBeLessThan(5000);
});
