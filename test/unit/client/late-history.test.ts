import { afterEach, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { connect } from '../../../src/client/connect.ts';
import type { ClientConnection } from '../../../src/client/connection.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { text } from '../../support/agents.ts';
import { cwd, outline } from '../../support/open-session.ts';

let connection: ClientConnection | undefined;
afterEach(async () => {
  await connection?.close();
});

const chunk = (role: 'user' | 'agent', said: string) => ({
  sessionUpdate: `${role}_message_chunk`,
  content: text(said),
});

/** Starts servers like `qwen serve` over a WebSocket: the history of a load comes with the next prompt, without ids. */
async function connectLate({ saysTheEnd = true } = {}) {
  const agents: ScriptedAgent[] = [];
  const diagnostics: Diagnostic[] = [];
  const history: object[] = [];
  const start = () => {
    let isDue = false;
    const agent = scriptedAgent()
      .on('initialize', {
        protocolVersion: 1,
        agentCapabilities: { loadSession: true, _meta: { qwen: { connectionId: 'c1' } } },
      })
      .on('session/new', { sessionId: 's1' })
      .on('session/load', () => {
        isDue = true;
        return {};
      })
      .on('session/prompt', ({ prompt }, _agent, id) => {
        if (isDue) {
          agent.update('s1', ...history);
          if (saysTheEnd)
            agent.notify('_qwen/notify', { kind: 'replay_complete', data: { replayedCount: 0 } });
        }
        isDue = false;
        const [block] = prompt as readonly { readonly text: string }[];
        const updates = [chunk('user', block?.text ?? ''), chunk('agent', `Answer to ${block?.text}`)];
        history.push(...updates);
        agent.update('s1', ...updates);
        agent.answer(id, { stopReason: 'end_turn' });
        return noAnswer;
      });
    agents.push(agent);
    return agent.transport;
  };
  const made = await connect(start, {
    clientInfo: { name: 'test', version: '0' },
    reconnect: { firstDelayMs: 1, history: 'prefer' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  connection = made;
  const lose = async () => {
    agents.at(-1)?.channel.exit();
    await new Promise<void>((resolve) => {
      const stop = made.onStateChange((state) => {
        if (state !== 'open') return;
        stop();
        resolve();
      });
    });
    await made.ready;
  };
  return { connection: made, lose, diagnostics };
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
