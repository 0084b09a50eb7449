import { describe, expect, test } from 'vitest';
import { deliver, flush, openSession, sent } from '../support/open-session.ts';

/** What the pages about config options of both versions say in the same words. */

const options = (...names: readonly string[]) => names.map((value) => ({ value, name: `The ${value}` }));
const byId = (id: string, fields: object) => ({ id, configId: id, name: id, ...fields });
const select = { type: 'select', currentValue: 'small', options: options('small', 'true') };
const model = byId('model', { ...select, category: 'model' });
const grouped = byId('style', {
  type: 'select',
  currentValue: 'x',
  options: [
    { group: 'g1', groupId: 'g1', name: 'One', options: options('x') },
    { group: 'g2', groupId: 'g2', name: 'Two', options: options('y') },
  ],
});
const brave = byId('brave', { type: 'boolean', currentValue: false });
const dial = byId('dial', { type: '_slider', currentValue: 3 });

describe.each([
  ['v1', {}, false],
  ['v2-baseline', { type: 'id' }, true],
] as const)('in %s', (dialect, ofChoice, keepsUnknown) => {
  const open = (configOptions: readonly object[] = [model, grouped, brave]) =>
    openSession(dialect, {
      opened: { configOptions: configOptions as never },
      answers: { 'session/set_config_option': { configOptions: configOptions as never } },
    });

  test('[24] v1, v2 a boolean is sent with its type, and a choice with one in version 2', async () => {
    const { agent, session } = await open();
    await session.setConfigOption('brave', true);
    await session.setConfigOption('model', 'true');
    await session.setConfigOption('style', 'y');
    expect(sent(agent).map(({ params }) => params)).toEqual([
      { sessionId: 's1', configId: 'brave', type: 'boolean', value: true },
      { sessionId: 's1', configId: 'model', ...ofChoice, value: 'true' },
      { sessionId: 's1', configId: 'style', ...ofChoice, value: 'y' },
    ]);
  });

  test.each([
    ['an option that the session does not have', 'speed', 'fast', '"model", "style", "brave"'],
    ['an option of a session without any', 'brave', true, 'the session offers none', []],
    ['a choice that the option does not have', 'model', 'huge', '"small", "true"'],
    ['a choice of another group', 'style', 'g1', '"x", "y"'],
    ['a text for a boolean', 'brave', 'true', 'one of true, false;'],
    ['a boolean for a choice, though a choice has that name', 'model', true, '"small", "true"'],
  ] as const)(
    '[24] v1, v2 %s is refused with the known values',
    async (_, configId, value, offered, has?: readonly object[]) => {
      const { agent, session, connection } = await open(has);
      const error = await session.setConfigOption(configId, value).catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'usage.params', method: 'session/set_config_option' });
      expect(String(error)).toContain(offered);
      const type = typeof value === 'boolean' ? { type: 'boolean' } : ofChoice;
      const byHand = { sessionId: 's1', configId, value, ...type };
      await expect(connection.request('session/set_config_option', byHand as never)).rejects.toMatchObject({
        code: 'usage.params',
      });
      await flush(agent);
      expect(sent(agent)).toEqual([]);
    },
  );

  test.each([undefined, null, 'speed', '_vendor', 'astrology', 7])(
    '[56] v1, v2 the category %j is accepted',
    async (category) => {
      const { conversation } = await open([{ ...model, category }]);
      expect(conversation().configOptions).toMatchObject([{ configId: 'model', currentValue: 'small' }]);
    },
  );

  test('[56] v1, v2 options keep their order, unknown types only in version 2, and an update replaces all', async () => {
    const { agent, conversation } = await open([brave, dial, model]);
    const shown = () => conversation().configOptions.map(({ configId, type }) => `${configId} ${type}`);
    const unknown = keepsUnknown ? ['dial _slider'] : [];
    expect(shown()).toEqual(['brave boolean', ...unknown, 'model select']);
    await deliver(agent, {
      sessionUpdate: 'config_option_update',
      configOptions: [dial, { ...brave, currentValue: true }],
    });
    expect(shown()).toEqual([...unknown, 'brave boolean']);
    expect(conversation().configOptions.at(-1)).toMatchObject({ name: 'brave', currentValue: true });
  });
});

test('[24] v2 a raw choice without its type is refused', async () => {
  const { agent, connection } = await openSession('v2-baseline', {
    opened: { configOptions: [model] as never },
  });
  const params = { sessionId: 's1', configId: 'model', value: 'true' };
  await expect(connection.request('session/set_config_option', params)).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'type' }],
  });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});
