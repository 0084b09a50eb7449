import { expect, test } from 'vitest';
import { flush, openSession, sent } from '../../support/open-session.ts';

const model = {
  configId: 'model',
  name: 'Model',
  type: 'select',
  currentValue: 'small',
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
};
const brave = { configId: 'brave', name: 'Brave', type: 'boolean', currentValue: false };
const dial = { configId: 'dial', name: 'Dial', type: '_slider', currentValue: 3, max: 9 };

const open = (options: readonly object[]) =>
  openSession('v2-baseline', {
    opened: { configOptions: options as never },
    answers: { 'session/set_config_option': { configOptions: options as never } },
  });

test('[24] v2 the type is always sent', async () => {
  const { agent, session } = await open([model, brave]);
  await session.setConfigOption('brave', true);
  await session.setConfigOption('model', 'large');
  expect(sent(agent).map(({ params }) => params)).toEqual([
    { sessionId: 's1', configId: 'brave', type: 'boolean', value: true },
    { sessionId: 's1', configId: 'model', type: 'id', value: 'large' },
  ]);
});

test('[24] v2 a value that is not offered is refused', async () => {
  const { agent, session, connection } = await open([model, brave]);
  for (const [configId, value] of [
    ['speed', 'fast'],
    ['model', 'huge'],
    ['brave', 'true'],
    ['model', true],
  ] as const) {
    await expect(session.setConfigOption(configId, value)).rejects.toMatchObject({ code: 'usage.params' });
    const type = typeof value === 'boolean' ? 'boolean' : 'id';
    const byHand = { sessionId: 's1', configId, type, value };
    await expect(connection.request('session/set_config_option', byHand as never)).rejects.toMatchObject({
      code: 'usage.params',
    });
  }
  await expect(
    connection.request('session/set_config_option', { sessionId: 's1', configId: 'model', value: 'large' }),
  ).rejects.toMatchObject({ code: 'usage.params', issues: [{ path: 'type' }] });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('[56] v2 options keep their order, and unknown types are kept', async () => {
  const { agent, conversation } = await open([dial, brave, model]);
  expect(conversation().configOptions).toMatchObject([dial, brave, model]);
  agent.update('s1', { sessionUpdate: 'config_option_update', configOptions: [brave, dial] });
  await flush(agent);
  expect(conversation().configOptions).toMatchObject([brave, dial]);
});

test.each([undefined, null, '_vendor', 'astrology', 7])(
  '[56] v2 the category %j is accepted',
  async (category) => {
    const { conversation } = await open([{ ...model, category }]);
    expect(conversation().configOptions).toMatchObject([{ configId: 'model', currentValue: 'small' }]);
  },
);
