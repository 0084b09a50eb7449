import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { AcpError } from '../../../src/core/base/errors.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { noAnswer, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

const refuse = refuses(-32603, 'not today');

/** The line of the caller of this function, as a stack names it. */
function lineOf(error: unknown): string {
  const [, ...frames] = (error instanceof Error ? error.stack : '')?.split('\n    at ') ?? [];
  return frames[0] ?? '';
}

const params = { sessionId: 's2', cwd };

/** Each call that the user can make, with its method in version 1. */
const calls: readonly (readonly [
  name: string,
  method: string,
  call: (connection: ClientConnection, session: Session) => Promise<unknown>,
])[] = [
  ['newSession', 'session/new', (connection) => connection.newSession({ cwd })],
  ['forkSession', 'session/fork', (connection) => connection.forkSession(params)],
  ['loadSession', 'session/load', (connection) => connection.loadSession(params)],
  ['resumeSession', 'session/resume', (connection) => connection.resumeSession(params)],
  ['openSession', 'session/load', (connection) => connection.openSession(params)],
  ['deleteSession', 'session/delete', (connection) => connection.deleteSession('s2')],
  ['listSessions', 'session/list', (connection) => connection.listSessions().page()],
  ['login', 'authenticate', (connection) => connection.login('key')],
  ['logout', 'logout', (connection) => connection.logout()],
  ['request', 'session/list', (connection) => connection.request('session/list', {})],
  ['request', '_own', (connection) => connection.request('_own')],
  ['prompt', 'session/prompt', (_, session) => session.prompt('Hi.')],
  ['prompt', 'session/prompt', (_, session) => session.prompt('Hi.').accepted],
  ['prompt', 'session/prompt', (_, session) => session.prompt('')],
  ['setMode', 'session/set_mode', (_, session) => session.setMode('b')],
  ['changeSetting', 'session/set_mode', (_, session) => session.changeSetting('mode', 'b')],
  ['changeSetting', 'session/set_config_option', (_, session) => session.changeSetting('none', 'b')],
  ['setConfigOption', 'session/set_config_option', (_, session) => session.setConfigOption('none', 'b')],
  ['cancelToolCall', 'tool_call/cancel', (_, session) => session.cancelToolCall('c1')],
  ['close', 'session/close', (_, session) => session.close()],
];

describe('the error of a call', () => {
  test.each(calls)(
    '%s (%s) names the call and the method, and its stack begins at the call',
    async (name, method, call) => {
      const { agent, connection, session } = await openSession('v1', {
        opened: {
          modes: {
            currentModeId: 'a',
            availableModes: [
              { id: 'a', name: 'A' },
              { id: 'b', name: 'B' },
            ],
          },
        },
      });
      for (const [, refused] of calls) if (refused !== 'session/new') agent.on(refused, refuse);
      agent.on('session/new', refuse);
      const error: unknown = await call(connection, session).catch((caught: unknown) => caught);
      if (!(error instanceof AcpError)) throw new Error('The call did not fail.', { cause: error });
      expect(error.message.startsWith(`${name}: `)).toBe(true);
      expect(error.message.split(`${name}:`)).toHaveLength(2);
      expect(error.message).toContain(method);
      expect(error.method).toBe(method);
      expect(error.stack?.split('\n')[0]).toBe(`${error.name}: ${error.message}`);
      expect(lineOf(error)).toContain('call-site.test.ts');
    },
  );

  test('is that of the call for a loop over sessions, and for a loop over a turn', async () => {
    const { connection, session } = await openSession('v1', {
      answers: { 'session/list': refuse, 'session/prompt': refuse },
    });
    const read = async (items: AsyncIterable<unknown>) => {
      for await (const _ of items);
    };
    for (const items of [connection.listSessions(), session.prompt('Hi.')]) {
      const error: unknown = await read(items).catch((caught: unknown) => caught);
      expect(lineOf(error)).toContain('call-site.test.ts');
    }
  });

  test('names the call that waited when the agent ended', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      answers: { 'session/new': noAnswer },
    });
    const opening = connection.newSession({ cwd });
    await agent.called('session/new');
    agent.channel.exit({ exitCode: 3 });
    const error: unknown = await opening.catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/^ConnectionClosedError: newSession: .*session\/new/);
    expect(lineOf(error)).toContain('call-site.test.ts');
  });

  test('lists the places of all calls that an error of the channel rejects, and names none', async () => {
    const agent = scriptedAgent({ maxLineBytes: 5000 })
      .on('initialize', everything.v1)
      .on('session/new', () => noAnswer);
    const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '1' } });
    const first = connection.newSession({ cwd });
    const second = connection.newSession({ cwd });
    await agent.called('session/new', 2);
    agent.channel.write('x'.repeat(6000));
    for (const call of [first, second]) {
      const error: unknown = await call.catch((caught: unknown) => caught);
      expect(String(error)).toMatch(/^MessageTooLargeError: The agent/);
    }
    const error: unknown = await first.catch((caught: unknown) => caught);
    const stack = error instanceof Error ? error.stack : '';
    expect(stack?.match(/call-site\.test\.ts:\d+/g)).toHaveLength(2);
    await connection.close();
  });
});

test('an error has the words of the agent apart, and console.log shows its message, the line of the call and what a program reads', async () => {
  const { session } = await openSession('v1', {
    answers: { 'session/prompt': refuse },
  });
  const error: unknown = await session.prompt('Hi.').catch((caught: unknown) => caught);
  expect(error).toHaveProperty('agentMessage', 'not today');
  const lines = inspect(error).split('\n');
  expect(lines[0]).toContain('prompt: ');
  expect(lines[1]).toContain('call-site.test.ts');
  expect(lines.length).toBeLessThan(25);
  expect(inspect(error)).toContain("method: 'session/prompt'");
});
