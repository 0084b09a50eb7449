import { describe, expect, test } from 'vitest';
import type { ClientHandlers } from '../../src/client/handlers.ts';
import { silence } from '../../src/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, settle, text } from '../support/agents.ts';

const cwd = '/home/user/project';

const options = [
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'project', name: 'Always in this project', kind: 'allow_always' },
  { optionId: 'user', name: 'Always for this user', kind: 'allow_always' },
];
const permission = { sessionId: 's1', toolCall: { toolCallId: 't1', title: 'Write' }, options };

async function withSession(handlers: ClientHandlers = {}) {
  const connected = await connectTo(everything.v1, {
    script: (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/prompt', () => silence),
    handlers,
  });
  return { ...connected, session: await connected.connection.newSession({ cwd }) };
}

describe('how agents ask', () => {
  test('ids that are numbers from 0, as ours are, are told apart from ours', async () => {
    const { agent, session } = await withSession({
      requestPermission: () => ({ outcome: 'selected', optionId: 'once' }),
    });
    const turn = session.prompt('Write.');
    const { id = '' } = await agent.called('session/prompt');
    const asked = [];
    for (let count = 0; count <= Number(id); count++) {
      asked.push(await agent.request('session/request_permission', permission));
    }
    expect(asked.map((answer) => answer.id)).toContain(id);
    expect(asked).toEqual(
      asked.map((answer) => ({ ...answer, result: { outcome: { outcome: 'selected', optionId: 'once' } } })),
    );
    agent.answer(id, { stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  });

  test('ids that are texts are answered as they are', async () => {
    const { agent } = await withSession({
      requestPermission: () => ({ outcome: 'selected', optionId: 'once' }),
    });
    const id = '2f1c1f0e-6a3c-4c1e-9d2b-0a5e6d7c8b9a';
    agent.channel.send({ jsonrpc: '2.0', id, method: 'session/request_permission', params: permission });
    await settle();
    expect(agent.received.at(-1)).toEqual({
      jsonrpc: '2.0',
      id,
      result: { outcome: { outcome: 'selected', optionId: 'once' } },
    });
  });

  test('options that repeat a kind are all offered, and chosen by id', async () => {
    const { agent } = await withSession({
      requestPermission: (request) => {
        expect(request.options).toEqual(options);
        return { outcome: 'selected', optionId: 'user' };
      },
    });
    const { result } = await agent.request('session/request_permission', permission);
    expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'user' } });
  });

  test.each(dialectNames)(
    'a permission that the agent withdraws after the cancel is answered once, with cancelled (%s)',
    async (dialect) => {
      const { agent, connection } = await connectTo(everything[dialect], {
        script: (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/prompt', () => silence),
        handlers: { requestPermission: () => new Promise(() => {}) },
      });
      const session = await connection.newSession({ cwd });
      session.prompt('Write.');
      const { id = '' } = await agent.called('session/prompt');
      if (dialect !== 'v1') {
        agent.answer(id, { messageId: 'u1' });
        agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
      }
      const { toolCall, ...rest } = permission;
      const params =
        dialect === 'v1'
          ? permission
          : { ...rest, title: 'Write?', subject: { type: 'tool_call', toolCall } };
      const asked = agent.request('session/request_permission', params);
      await settle();
      await session.cancel();
      agent.notify('$/cancel_request', { requestId: asked.id });
      expect((await asked).result).toEqual({ outcome: { outcome: 'cancelled' } });
      await settle();
      expect(agent.received.filter((message) => message.id === asked.id && !message.method)).toHaveLength(1);
      // One that comes late, before the agent has ended the turn, is answered in the same way without asking anybody.
      const late = agent.request('session/request_permission', params);
      expect((await late).result).toEqual({ outcome: { outcome: 'cancelled' } });
    },
  );

  test('methods of the agent’s own, under any name, are refused, and it carries on', async () => {
    const { agent, connection, diagnostics } = await withSession();
    expect((await agent.request('craft/drainMidTurnQueue', {})).error).toMatchObject({ code: -32601 });
    agent.notify('qwen/notify/session', { sessionId: 's1' });
    agent.notify('_auth/status_update', {});
    await settle();
    expect(diagnostics.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
      'info rpc.unknown_request',
      'info rpc.unknown_notification',
      'info rpc.unknown_notification',
    ]);
    expect(connection.state).toBe('open');
  });

  test.each([
    ['with no id', { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } }],
    ['with the id null', { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }],
  ])('errors %s are reported, and end nothing', async (_name, message) => {
    const { agent, connection, session, diagnostics } = await withSession();
    const turn = session.prompt('Hi.');
    const { id = '' } = await agent.called('session/prompt');
    agent.channel.send(message);
    agent.answer(id, { stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(diagnostics).toMatchObject([{ rule: 'rpc.error_without_id' }]);
    expect(connection.state).toBe('open');
  });

  test('a request about a session before its answer waits for it', async () => {
    const asked: string[] = [];
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/new', (_params, agent) => {
          agent.request('fs/read_text_file', { sessionId: 's1', path: '/home/user/project/a' });
          agent.update('s1', { sessionUpdate: 'available_commands_update', availableCommands: [] });
          return { sessionId: 's1' };
        }),
      handlers: {
        readTextFile: ({ path }, { session }) => {
          asked.push(`${session.sessionId} ${path}`);
          return { content: '' };
        },
      },
    });
    await connection.newSession({ cwd });
    await settle();
    expect(asked).toEqual(['s1 /home/user/project/a']);
    expect(agent.received.at(-1)).toMatchObject({ result: { content: '' } });
  });

  test('separators of lines inside of a text are no ends of lines', async () => {
    const { agent, session } = await withSession();
    const said = 'a\u2028b\u2029c\u0085d';
    const update = { sessionUpdate: 'agent_message_chunk', content: text(said) };
    const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } };
    agent.channel.write(`${JSON.stringify(message)}\n`);
    agent.channel.write(`${JSON.stringify(message).replaceAll('\u2028', '\\u2028')}\r\n`);
    await settle();
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text(said + said)] }]);
  });
});
