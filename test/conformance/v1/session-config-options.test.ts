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
const brave = { id: 'brave', name: 'Brave', type: 'boolean', currentValue: false };
const configOptions = [model, brave];

const open = (options: readonly object[] = configOptions) =>
  openSession('v1', {
    opened: { configOptions: options as never },
    answers: { 'session/set_config_option': { configOptions: options as never } },
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
