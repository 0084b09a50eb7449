import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { dialectNames, everything, text } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  deliver,
  flush,
  messages,
  openSession,
  toolCalls,
} from '../../support/open-session.ts';
import { says, toolCall } from '../../support/updates.ts';

/** Names that every object of JavaScript has already, or that mean something to it. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
];

/** An object with such a key as one of its own, as JSON.parse makes it. */
const withKey = (name: string, value: string): JsonObject => JSON.parse(`{${JSON.stringify(name)}:${value}}`);

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect({}).not.toHaveProperty('polluted');
});

describe.each(dialectNames)('in %s', (dialect) => {
  test.each(names)('[security: reserved-names] a session can have the id %s', async (sessionId) => {
    const { agent, connection, diagnostics } = await connectFlushable(everything[dialect], {
      answers: { 'session/new': { sessionId } },
    });
    agent.update(sessionId, says('lost', 'm'));
    await flush(agent);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.unknown_session']);
    const session: Session = await connection.newSession({ cwd });
    agent.update(sessionId, says('hello', 'm'));
    await flush(agent);
    expect(session.sessionId).toBe(sessionId);
    expect(messages(session.conversation)).toMatchObject([{ content: [text('hello')] }]);
    expect(connection.sessions).toEqual([session]);
  });

  test.each(names)(
    '[security: reserved-names] tool calls, messages, terminals and keys can have the name %s',
    async (name) => {
      const { agent, conversation, session } = await openSession(dialect, {
        answers: { 'session/set_config_option': { configOptions: [] } },
      });
      await deliver(
        agent,
        says('said', name),
        toolCall(dialect, {
          toolCallId: name,
          title: name,
          rawInput: withKey(name, '{"polluted":true}'),
          _meta: withKey(name, '{"polluted":true}'),
        }),
        { sessionUpdate: name, more: true },
        { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: name, polluted: true } },
        ...(dialect === 'v1'
          ? []
          : [
              { sessionUpdate: 'terminal_update', terminalId: name, command: 'ls' },
              { sessionUpdate: 'plan_update', plan: { type: 'items', planId: name, entries: [] } },
            ]),
      );
      const now = conversation();
      expect(messages(now)[0]).toMatchObject({ messageId: name, content: [text('said')] });
      const [call] = toolCalls(now);
      expect(call).toMatchObject({ toolCallId: name, title: name });
      expect(Object.getOwnPropertyNames(call?.rawInput)).toEqual([name]);
      expect(now.entries).toContainEqual(expect.objectContaining({ kind: 'unknown', tag: name }));
      if (dialect !== 'v1') {
        expect(Object.keys(now.terminals)).toEqual([name]);
        expect(now.plans).toMatchObject([{ planId: name }]);
      }
      // And it stays so on its way through JSON.
      expect(JSON.parse(JSON.stringify(now)).entries).toHaveLength(now.entries.length);
      await expect(session.setConfigOption(name, 'x')).rejects.toMatchObject({ code: 'usage.params' });
      await expect(session.cancelTerminal(name)).rejects.toMatchObject({
        code: expect.stringMatching(/^usage/),
      });
    },
  );
});

test('inherited keys of a message are ignored', async () => {
  const { agent, connection, diagnostics } = await connectFlushable(everything['v2-baseline']);
  agent.channel.write('{"__proto__":{"method":"session/update","id":0,"result":{}}}\n');
  agent.channel.write('{"jsonrpc":"2.0","__proto__":{"id":7},"method":"_x"}\n');
  await flush(agent);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['rpc.invalid_message', 'rpc.unknown_notification']);
  expect(connection.state).toBe('open');
});
