import { describe, expect, test } from 'vitest';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, refuses } from '../../support/agents.ts';
import { connectFlushable, cwd, deliver, flush, openSession, outline } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { repeats, says, toolCall, toolCallUpdate } from '../../support/updates.ts';

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
  await deliver(agent, says('First.', 'm1'), terminal('one '), call, says('The tail ', 'm2'));
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

describe('history that comes late', () => {
  /** Starts servers like `qwen serve` over a WebSocket: the history of a load comes with the next prompt, without ids. */
  async function connectLate({ saysTheEnd = true } = {}) {
    const history: object[] = [];
    const restarting = await connectRestarting(
      (agent) => {
        let isDue = false;
        agent
          .on('initialize', {
            protocolVersion: 1,
            agentCapabilities: { loadSession: true, _meta: { qwen: { connectionId: 'c1' } } },
          })
          .on('session/load', () => {
            isDue = true;
            return {};
          })
          .on('session/prompt', ({ prompt }) => {
            if (isDue) agent.update('s1', ...history);
            if (isDue && saysTheEnd)
              agent.notify('_qwen/notify', { kind: 'replay_complete', data: { replayedCount: 0 } });
            isDue = false;
            const [{ text: said = '' } = {}] = prompt as readonly { readonly text?: string }[];
            const updates = [repeats(said), says(`Answer to ${said}`)];
            history.push(...updates);
            agent.update('s1', ...updates);
            return { stopReason: 'end_turn' };
          });
      },
      { reconnect: { firstDelayMs: 1, history: 'prefer' } },
    );
    const lose = async () => {
      await crash(restarting);
      await restarting.connection.ready;
    };
    return { ...restarting, lose };
  }

  test('history that comes with the next prompt is not shown twice, however often the connection is lost', async () => {
    const { connection, lose, diagnostics } = await connectLate();
    const session = await connection.newSession({ cwd });
    const expected: string[] = [];
    for (const said of ['one', 'two', 'three']) {
      if (said !== 'one') await lose();
      await session.prompt(said);
      expected.push(`user: ${said}`, `agent: Answer to ${said}`);
      expect(outline(session.conversation)).toEqual(expected);
      expect(session.conversation.entries.at(-1)?.origin).toBe('live');
    }
    expect(diagnostics.filter(({ rule }) => rule === 'rpc.unknown_notification')).toEqual([]);
  });

  test('history that comes with the first prompt after a load is shown before that prompt', async () => {
    const { connection } = await connectLate();
    const first = await connection.newSession({ cwd });
    await first.prompt('one');
    const loaded = await connection.loadSession({ sessionId: 's1', cwd });
    // The same words as before.
    await loaded.prompt('one');
    expect(outline(loaded.conversation)).toEqual([
      'user: one',
      'agent: Answer to one',
      'user: one',
      'agent: Answer to one',
    ]);
  });

  /** What an agent that says when the history is complete sends with a load, and what it sends before its first answer. */
  const orders: readonly (readonly [
    what: string,
    history: readonly object[],
    beforeAnswer: readonly object[],
  ])[] = [
    ['the history came with the load', [repeats('one'), says('First.')], []],
    ['only words of the agent came with the load', [says('Welcome.')], []],
    ['no history came', [], []],
    ['no history came, and the prompt comes again', [], [repeats('Go.')]],
    ['the history comes with the prompt', [], [repeats('one'), says('First.'), repeats('Go.')]],
  ];

  const answers = {
    words: [says('Half, '), says('whole.')],
    'words and a tool call': [says('Look.'), toolCall('v1', { status: 'completed' }), says('Done.')],
  };

  describe.each(orders)('an answer after %s', (_, history, beforeAnswer) => {
    test.each(Object.entries(answers))('stands behind its prompt: %s', async (_what, answer) => {
      const { agent, connection } = await connectFlushable(
        {
          protocolVersion: 1,
          agentInfo: { name: 'qwen-code', version: '0' },
          agentCapabilities: { loadSession: true },
        },
        {
          answers: {
            'session/load': (_params, by) => {
              by.update('s1', ...history);
              return {};
            },
            'session/prompt': (_params, by) => {
              by.update('s1', ...beforeAnswer, ...answer);
              return { stopReason: 'end_turn' };
            },
          },
        },
      );
      const session = await connection.loadSession({ sessionId: 's1', cwd });
      const before = outline(session.conversation);
      await session.prompt('Go.');
      await flush(agent);
      const expected =
        answer === answers.words
          ? ['agent: Half, whole.']
          : ['agent: Look.', 't1: completed', 'agent: Done.'];
      const isLate = beforeAnswer.length > 1;
      const earlier = isLate ? ['user: one', 'agent: First.'] : before;
      expect(outline(session.conversation)).toEqual([...earlier, 'user: Go.', ...expected]);
      expect(session.conversation.entries.slice(earlier.length + 1).map(({ origin }) => origin)).toEqual(
        expected.map(() => 'live'),
      );
    });
  });

  test('without the notification, the end of the turn ends the history', async () => {
    const { connection, lose } = await connectLate({ saysTheEnd: false });
    const session = await connection.newSession({ cwd });
    await session.prompt('one');
    await lose();
    await session.prompt('two');
    await session.prompt('three');
    expect(outline(session.conversation).filter((line) => line === 'agent: Answer to one')).toHaveLength(1);
    expect(outline(session.conversation).slice(-2)).toEqual(['user: three', 'agent: Answer to three']);
  });
});
