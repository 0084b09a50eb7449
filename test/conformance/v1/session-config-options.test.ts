import { expect, test } from 'vitest';
import { flush, openSession, sent } from '../../support/open-session.ts';

const model = {
  id: 'model',
  name: 'Model',
  type: 'select',
  category: 'model',
  currentValue: 'small',
  options: [
    { value: 'small', name: 'Small' },
    { value: 'true', name: 'A tricky name' },
  ],
};
const grouped = {
  id: 'style',
  name: 'Style',
  type: 'select',
  currentValue: 'x',
  options: [
    { group: 'g1', name: 'One', options: [{ value: 'x', name: 'X' }] },
    { group: 'g2', name: 'Two', options: [{ value: 'y', name: 'Y' }] },
  ],
};
const brave = { id: 'brave', name: 'Brave', type: 'boolean', currentValue: false };
const configOptions = [model, grouped, brave];

const open = (options: readonly object[] = configOptions) =>
  openSession('v1', {
    opened: { configOptions: options as never },
    answers: { 'session/set_config_option': { configOptions: options as never } },
  });

test('[24] v1 a boolean value is sent with its type, a choice without one', async () => {
  const { agent, session } = await open();
  await session.setConfigOption('brave', true);
  await session.setConfigOption('model', 'true');
  await session.setConfigOption('style', 'y');
  expect(sent(agent).map(({ params }) => params)).toEqual([
    { sessionId: 's1', configId: 'brave', type: 'boolean', value: true },
    { sessionId: 's1', configId: 'model', value: 'true' },
    { sessionId: 's1', configId: 'style', value: 'y' },
  ]);
});

test.each([
  ['an option that the session does not have', 'speed', 'fast', '"model", "style", "brave"'],
  ['a choice that the option does not have', 'model', 'huge', '"small", "true"'],
  ['a choice of another group', 'style', 'g1', '"x", "y"'],
  ['a text for a boolean', 'brave', 'true', 'one of true, false;'],
  ['a boolean for a choice, though a choice has that name', 'model', true, '"small", "true"'],
] as const)('[24] v1 %s is refused with the known values', async (_, configId, value, offered) => {
  const { agent, session, connection } = await open();
  const error = await session.setConfigOption(configId, value).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'usage.params', method: 'session/set_config_option' });
  expect(String(error)).toContain(offered);
  const byHand = { sessionId: 's1', configId, value, ...(typeof value === 'boolean' && { type: 'boolean' }) };
  await expect(connection.request('session/set_config_option', byHand as never)).rejects.toMatchObject({
    code: 'usage.params',
  });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('[24] v1 a session without config options refuses all', async () => {
  const { agent, session } = await open([]);
  const error = await session.setConfigOption('brave', true).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'usage.params' });
  expect(String(error)).toContain('the session offers none');
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('[56] v1 options keep their order, and unknown types are dropped', async () => {
  const { conversation } = await open([
    brave,
    { id: 'dial', name: 'Dial', type: 'slider', currentValue: 3 },
    model,
  ]);
  expect(conversation().configOptions.map(({ configId }) => configId)).toEqual(['brave', 'model']);
});

test.each([undefined, null, '_vendor', 'astrology', 7])(
  '[56] v1 the category %j is accepted',
  async (category) => {
    const { conversation } = await open([{ ...model, category }]);
    expect(conversation().configOptions).toMatchObject([{ configId: 'model', currentValue: 'small' }]);
  },
);

test('[56] v1 an update replaces all config options', async () => {
  const { agent, conversation } = await open();
  agent.update('s1', {
    sessionUpdate: 'config_option_update',
    configOptions: [{ ...brave, currentValue: true }],
  });
  await flush(agent);
  expect(conversation().configOptions).toEqual([
    { configId: 'brave', name: 'Brave', type: 'boolean', currentValue: true },
  ]);
});

test('v1 the conversation shows the answered options, or the requested value if there are none', async () => {
  const { agent, session, conversation } = await open();
  const current = () => conversation().configOptions.map(({ currentValue }) => currentValue);
  agent.on('session/set_config_option', {
    configOptions: [{ ...brave, currentValue: true }, model] as never,
  });
  await session.setConfigOption('brave', true);
  expect(current()).toEqual([true, 'small']);
  agent.on('session/set_config_option', {});
  await session.setConfigOption('model', 'true');
  expect(current()).toEqual([true, 'true']);
});
