import { expect, test } from 'vitest';
import { cwd, outline } from '../../support/open-session.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { repeats, says } from '../../support/updates.ts';

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
  await loaded.prompt('two');
  expect(outline(loaded.conversation)).toEqual([
    'user: one',
    'agent: Answer to one',
    'user: two',
    'agent: Answer to two',
  ]);
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
