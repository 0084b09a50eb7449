import { expect, test } from 'vitest';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, refuses } from '../../support/agents.ts';
import { cwd, flush, openSession, outline } from '../../support/open-session.ts';
import { says, toolCall, toolCallUpdate } from '../../support/updates.ts';

const said = (messageId: string, text: string) =>
  ({ sessionUpdate: 'agent_message', messageId, content: [{ type: 'text', text }] }) as const;

const complete = { sessionUpdate: 'replay_complete' };

/** An agent of version 2 that replays one message, and then sends another one before its answer. */
const connectReplaying = (reply: () => object) =>
  connectTo(everything['v2-baseline'], {
    script: (agent) =>
      agent.on('session/resume', () => {
        agent.update('s1', said('m1', 'Before.'), complete, said('m2', 'Now.'));
        return reply();
      }),
  });

test('a replay that is complete ends the history: what follows is new, also before the answer', async () => {
  const progress: number[] = [];
  const { connection, diagnostics } = await connectReplaying(() => ({}));
  const session = await connection.loadSession(
    { sessionId: 's1', cwd },
    { onProgress: ({ updates }) => progress.push(updates) },
  );
  const conversation = session.conversation;
  expect(outline(conversation)).toEqual(['agent: Before.', 'agent: Now.']);
  expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'live']);
  expect(progress.at(-1)).toBe(1);
  expect(diagnostics).toEqual([]);
});

test('a load that fails after its replay is complete brings back what was there', async () => {
  let isOpen = false;
  const { agent, connection } = await connectReplaying(() => {
    if (isOpen) throw new Error('The setup failed.');
    isOpen = true;
    return {};
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  const before = session.conversation;
  agent.on('session/resume', () => {
    agent.update('s1', said('m9', 'Replayed.'), complete);
    throw new Error('The setup failed.');
  });
  await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow();
  expect(session.conversation).toEqual(before);
});

const count = 300;
const line = (index: number) =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 'kept',
      update: says('x', 'm'),
      _meta: { index },
    },
  })}\n`;
const expected = Array.from({ length: count }, (_, index) => index);

test.each(dialectNames)(
  'in %s, onUpdate of a first load has each update of the replay in order, with its _meta',
  async (dialect) => {
    const replay = () => {
      agent.channel.write(Buffer.from(expected.map(line).join('')));
      return {};
    };
    const { agent, connection } = await openSession(dialect, {
      answers: { 'session/load': replay, 'session/resume': replay, 'session/close': {} },
    });
    for (const open of ['loadSession', 'openSession'] as const) {
      const seen: unknown[] = [];
      const session = await connection[open](
        { sessionId: 'kept', cwd: '/p' },
        { onUpdate: (_, { meta }) => seen.push(meta?.['index']) },
      );
      expect(seen).toEqual(expected);
      agent.channel.write(Buffer.from(line(count)));
      await agent.request('_flush').catch(() => {});
      expect(seen).toEqual([...expected, count]);
      await session.close();
    }
  },
);

test.each(dialectNames)('in %s, onUpdate of a load that failed is not called any more', async (dialect) => {
  const refuse = refuses(-32603, 'not now');
  const { agent, connection, session } = await openSession(dialect, {
    answers: { 'session/load': refuse, 'session/resume': refuse },
  });
  const seen: unknown[] = [];
  const load = connection.loadSession({ sessionId: 's1', cwd: '/p' }, { onUpdate: () => seen.push('late') });
  await expect(load).rejects.toThrow('not now');
  agent.update('s1', { sessionUpdate: 'session_info_update', title: 'Later' });
  await agent.request('_flush').catch(() => {});
  expect(session.conversation.info.title).toBe('Later');
  expect(seen).toEqual([]);
});

/** Loads the open session `s1`, whose agent sends this after the request. */
async function reload(
  dialect: (typeof dialectNames)[number],
  sent: readonly object[],
  end = (): object => ({}),
) {
  const replay = (_: unknown, by: ScriptedAgent) => {
    by.update('s1', ...sent);
    return end();
  };
  const { agent, connection, conversation } = await openSession(dialect, {
    answers: { 'session/load': replay, 'session/resume': replay },
  });
  const call = toolCall(dialect, { content: [{ type: 'terminal', terminalId: 'x1' }] });
  agent.update('s1', says('First.', 'm1'), terminal('one '), call, says('The tail ', 'm2'));
  await flush(agent);
  await connection.loadSession({ sessionId: 's1', cwd }).catch(() => {});
  const printed = Object.values(conversation().terminals).map(({ output }) => output);
  return [...outline(conversation()), ...printed];
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const terminal = (output: string) => ({
  sessionUpdate: 'terminal_update',
  terminalId: 'x1',
  output: { data: base64(output) },
});
const printed = { sessionUpdate: 'terminal_output_chunk', terminalId: 'x1', data: base64('two') };
const before = [printed, says('of it.', 'm2'), toolCallUpdate({ status: 'failed' })];
const whole = [
  said('m1', 'First.'),
  terminal('one two'),
  toolCall('v2-baseline', { status: 'failed' }),
  said('m2', 'The tail of it.'),
];

test.each(['v2-markers', 'v2-baseline'] as const)(
  'in %s, what the agent sent before it got the request to load keeps its place, also if the load fails',
  async (dialect) => {
    const shown = ['agent: First.', 't1: failed', 'agent: The tail of it.', 'one two'];
    expect(await reload(dialect, [...before, ...whole])).toEqual(shown);
    expect(await reload(dialect, before, refuses(-32603, 'No.'))).toEqual(shown);
  },
);

test.each(dialectNames)('in %s, a replay begins with the first message', async (dialect) => {
  const shown = await reload(dialect, [says('Fir', 'm1'), says('st!', 'm1')]);
  expect(shown).toEqual(['agent: First!']);
});

test('in v1, a replay may begin with any message', async () => {
  expect(await reload('v1', [says('Only this.', 'm2')])).toEqual(['agent: Only this.']);
});
