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

const known = 'must be one of "ask", "https://example.com/modes/code"';
const none = 'the session offers none';

test.each([
  ['with the known modes if it is not offered', { modes }, 'code', known],
  ['if the session does not speak of modes', {}, 'ask', none],
  ['if the session has no modes', { modes: null }, 'ask', none],
])('v1 a mode is refused %s', async (_, opened, modeId, why) => {
  const { agent, session, connection } = await open(opened);
  const refusal = { code: 'usage.params', method: 'session/set_mode', message: expect.stringContaining(why) };
  await expect(session.setMode(modeId)).rejects.toMatchObject(refusal);
  const byHand = { sessionId: 's1', modeId };
  await expect(connection.request('session/set_mode', byHand)).rejects.toMatchObject(refusal);
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test.each(['currentModeId', 'modeId'])('v1 current_mode_update is read from %s', async (key) => {
  const { agent, conversation } = await open({ modes });
  await deliver(agent, { sessionUpdate: 'current_mode_update', [key]: 'https://example.com/modes/code' });
  expect(conversation().modes).toEqual({ ...modes, currentModeId: 'https://example.com/modes/code' });
});
