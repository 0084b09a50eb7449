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

test('[24] v2 a raw choice without its type is refused', async () => {
  const { agent, connection } = await open([model]);
  const params = { sessionId: 's1', configId: 'model', value: 'large' };
  await expect(connection.request('session/set_config_option', params)).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'type' }],
  });
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
