import { describe, expect, test } from 'vitest';
import { connectFlushable, cwd, flush, outline } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { repeats, says, toolCall } from '../../support/updates.ts';

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
      answer === answers.words ? ['agent: Half, whole.'] : ['agent: Look.', 't1: completed', 'agent: Done.'];
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
