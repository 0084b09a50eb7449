import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything } from '../../support/agents.ts';

const cwd = '/home/user/project';

async function open(count: number) {
  let last = 0;
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent
        .on('session/new', () => ({ sessionId: `s${++last}` }))
        .on('session/prompt', () => noAnswer)
        .on('session/list', () => noAnswer),
  });
  const sessions = await Promise.all(Array.from({ length: count }, () => connection.newSession({ cwd })));
  return { agent, connection, sessions };
}

test('calls that share a signal cause no leak warning, and each rejects with its reason', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  const { agent, connection, sessions } = await open(20);
  const control = new AbortController();
  const { signal } = control;
  const calls = [
    ...sessions.map((session) => session.prompt('Go on.', { signal })),
    ...sessions.map(() => connection.listSessions({}, { signal }).page()),
  ].map((call) => Promise.resolve(call).then(String, (reason: unknown) => reason));
  await turn();
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  control.abort('gone');
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'gone'));
  await agent.called('session/cancel');
  await turn();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a session that was loaded leaves no listener on the signal', async () => {
  const { agent, connection } = await open(0);
  agent.on('session/load', {});
  const { signal } = new AbortController();
  await connection.loadSession({ sessionId: 's1', cwd }, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a call that is answered does not affect others with the same signal', async () => {
  const { agent, sessions } = await open(2);
  const control = new AbortController();
  const { signal } = control;
  const [first, second] = sessions.map((session) => session.prompt('Go on.', { signal }));
  const { id } = await agent.called('session/prompt');
  agent.answer(id ?? -1, { stopReason: 'end_turn' });
  expect((await first)?.stopReason).toBe('end_turn');
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  control.abort('gone');
  await expect(second).rejects.toBe('gone');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
