import { expect, test } from 'vitest';
import { deliver, flush, openSession, sent } from '../../support/open-session.ts';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'https://example.com/modes/code', name: 'Code' },
  ],
};

const open = (opened = {}) => openSession('v1', { opened, answers: { 'session/set_mode': {} } });

test('v1 an offered mode is set', async () => {
  const { agent, session, conversation } = await open({ modes });
  expect(conversation().modes).toEqual(modes);
  await session.setMode('https://example.com/modes/code');
  expect(sent(agent)).toMatchObject([
    { method: 'session/set_mode', params: { sessionId: 's1', modeId: 'https://example.com/modes/code' } },
  ]);
  expect(conversation().modes?.currentModeId).toBe('https://example.com/modes/code');
});

test('v1 a mode that is not offered is refused with the known modes', async () => {
  const { agent, session, connection } = await open({ modes });
  const error = await session.setMode('code').catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'usage.params', method: 'session/set_mode' });
  expect(String(error)).toContain('must be one of "ask", "https://example.com/modes/code"');
  const byHand = { sessionId: 's1', modeId: 'code' };
  await expect(connection.request('session/set_mode', byHand)).rejects.toMatchObject({
    code: 'usage.params',
  });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('v1 a session without modes refuses all', async () => {
  for (const opened of [{}, { modes: null }]) {
    const { agent, session, connection } = await open(opened);
    await expect(session.setMode('ask')).rejects.toMatchObject({ code: 'usage.params' });
    const byHand = { sessionId: 's1', modeId: 'ask' };
    await expect(connection.request('session/set_mode', byHand)).rejects.toMatchObject({
      code: 'usage.params',
    });
    await flush(agent);
    expect(sent(agent)).toEqual([]);
  }
});

test.each(['currentModeId', 'modeId'])('v1 current_mode_update is read from %s', async (key) => {
  const { agent, conversation } = await open({ modes });
  await deliver(agent, { sessionUpdate: 'current_mode_update', [key]: 'https://example.com/modes/code' });
  expect(conversation().modes).toEqual({ ...modes, currentModeId: 'https://example.com/modes/code' });
});
