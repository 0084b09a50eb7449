import { describe, expect, test } from 'vitest';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, loadMethod, refuses, settle } from '../../support/agents.ts';
import {
  answers,
  connectFlushable,
  cwd,
  deliver,
  flush,
  openSession,
  undecided,
} from '../../support/open-session.ts';
import { endTurn, permissionParams, says, working } from '../../support/updates.ts';

test('connection.close cancels a form that belongs to no session', async () => {
  const { handlers, signals } = undecided();
  const { agent, connection } = await connectFlushable(everything.v1, { handlers });
  const requestedSchema = { type: 'object', properties: {} };
  agent.request('elicitation/create', { mode: 'form', message: 'Which one?', requestedSchema, requestId: 1 });
  await flush(agent);
  expect(signals).toHaveLength(1);
  await connection.close();
  expect(answers(agent).map(({ result }) => result)).toEqual([{ action: 'cancel' }]);
  expect(signals[0]?.aborted).toBe(true);
});

describe.each(dialectNames)('close during a load, in %s', (dialect) => {
  test('rejects the load, keeps the previous conversation, and closes the session', async () => {
    const { agent, session, connection, conversation } = await openSession(dialect, {
      answers: { 'session/close': {}, [loadMethod(dialect)]: noAnswer },
    });
    await deliver(agent, says('Before.', 'm1'));
    const before = conversation().entries;
    const loading = connection.loadSession({ sessionId: 's1', cwd });
    const rejected = expect(loading).rejects.toMatchObject({ code: 'usage.state' });
    const { id = '' } = await agent.called(loadMethod(dialect));
    await deliver(agent, says('Replayed.', 'm2'));
    await session.close();
    await rejected;
    expect(conversation().entries).toEqual(before);
    expect(session.isClosed).toBe(true);
    expect(connection.sessions).toEqual([]);
    agent.answer(id, {});
    agent.update('s1', says('Late.', 'm2'));
    await settle();
    expect(conversation().entries).toEqual(before);
  });
});

test.each(dialectNames)(
  'cancel sends nothing while the agent is idle, before a turn and after one, and later requests are asked (%s)',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      script: working(dialect),
      handlers: { requestPermission: () => 'yes' },
    });
    await session.cancel();
    const turn = session.prompt('Hello.');
    await agent.called('session/prompt');
    await endTurn(dialect, agent);
    await turn;
    await session.cancel();
    expect(agent.calls('session/cancel')).toEqual([]);
    const { result } = await agent.request('session/request_permission', permissionParams(dialect));
    expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
  },
);

test('a session that the agent cannot delete stays open', async () => {
  const { connection, session } = await openSession('v1', {
    answers: { 'session/delete': refuses(-32002, 'Session not found') },
  });
  await expect(connection.deleteSession('s1')).rejects.toMatchObject({ code: 'remote.not_found' });
  expect(session.isClosed).toBe(false);
  expect(connection.sessions).toEqual([session]);
});
