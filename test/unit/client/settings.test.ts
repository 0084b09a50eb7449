import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../src/conversation/settings.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

describe('settings', () => {
  const modes = {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask' },
      { id: 'code', name: 'Code' },
    ],
  };
  const model = (currentValue: string) => ({
    id: 'model',
    name: 'Model',
    type: 'select',
    currentValue,
    options: [
      { group: 'g', name: 'Big', options: [{ value: 'a', name: 'A' }] },
      { group: 'h', name: 'Small', options: [{ value: 'b', name: 'B' }] },
    ],
  });
  const web = (currentValue: boolean) => ({ id: 'web', name: 'Web', type: 'boolean', currentValue });

  test('modes and config options change through the call of each', async () => {
    const { agent, session } = await openSession('v1', {
      opened: { modes, configOptions: [model('a'), web(false)] },
      answers: {
        'session/set_mode': {},
        'session/set_config_option': { configOptions: [model('b'), web(true)] },
      },
    });
    const now = () => settingsOf(session.conversation).map(({ settingId, value }) => [settingId, value]);
    expect(now()).toEqual([
      ['mode', 'ask'],
      ['model', 'a'],
      ['web', false],
    ]);
    expect(settingsOf(session.conversation)[1]?.choices).toMatchObject([
      { value: 'a', group: 'Big' },
      { value: 'b', group: 'Small' },
    ]);
    await session.changeSetting('mode', 'code');
    await session.changeSetting('model', 'b');
    expect(now()).toEqual([
      ['mode', 'code'],
      ['model', 'b'],
      ['web', true],
    ]);
    await session.changeSetting('web', false);
    await session.changeSetting('web', true);
    expect(agent.calls('session/set_mode')[0]?.params).toEqual({ sessionId: 's1', modeId: 'code' });
    expect(agent.calls('session/set_config_option').map(({ params }) => params)).toEqual([
      { sessionId: 's1', configId: 'model', value: 'b' },
      { sessionId: 's1', configId: 'web', type: 'boolean', value: false },
      { sessionId: 's1', configId: 'web', type: 'boolean', value: true },
    ]);
  });

  const models = {
    currentModelId: 'small',
    availableModels: [
      { modelId: 'small', name: 'Small' },
      { modelId: 'large', name: 'Large' },
    ],
  };

  test('a config option is changed as one, also beside modes and models, and with their name', async () => {
    const mode = { ...model('a'), id: 'mode' };
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent
          .on('session/new', ({ cwd }) => ({
            sessionId: `in ${cwd}`,
            modes,
            models,
            configOptions: cwd === '/named' ? [mode, model('a')] : [web(false)],
          }))
          .on('session/set_config_option', {}),
    });
    const named = await connection.newSession({ cwd: '/named' });
    await named.changeSetting('mode', 'b');
    await named.changeSetting('model', 'b');
    const other = await connection.newSession({ cwd: '/other' });
    await other.changeSetting('web', true);
    expect(agent.calls('session/set_config_option').map(({ params }) => params)).toMatchObject([
      { configId: 'mode', value: 'b' },
      { configId: 'model', value: 'b' },
      { configId: 'web', value: true },
    ]);
    expect(agent.calls('session/set_mode')).toEqual([]);
    expect(agent.calls('session/set_model')).toEqual([]);
    await expect(other.changeSetting('nonsense', 'a')).rejects.toThrow(
      'config option must be one of "web"; got "nonsense"',
    );
  });

  test('a value of an option whose type is unknown is sent as it is', async () => {
    const slider = { configId: 'speed', name: 'Speed', type: '_slider', currentValue: 'slow', min: 0 };
    const { agent, session } = await openSession('v2-baseline', {
      opened: { configOptions: [slider] },
      answers: { 'session/set_config_option': {} },
    });
    await session.setConfigOption('speed', 'fast');
    expect(agent.calls('session/set_config_option')).toMatchObject([
      { params: { configId: 'speed', value: 'fast' } },
    ]);
  });

  test('a model that the agent confirms while it loads the session changes nothing', async () => {
    const { agent, connection, session } = await openSession('v1', {
      opened: { models },
      answers: { 'session/set_model': noAnswer, 'session/load': noAnswer },
    });
    const changing = session.changeSetting('model', 'large');
    const { id = '' } = await agent.called('session/set_model');
    connection.loadSession({ sessionId: 's1', cwd }).catch(() => {});
    await agent.called('session/load');
    agent.answer(id, {});
    await changing;
    expect(settingsOf(session.conversation)).toEqual([]);
  });

  test('the model of an agent without a config option for it changes through session/set_model', async () => {
    const { agent, session } = await openSession('v1', {
      opened: { models },
      answers: { 'session/set_model': {} },
    });
    expect(settingsOf(session.conversation)).toMatchObject([
      { settingId: 'model', value: 'small', choices: [{ value: 'small' }, { value: 'large' }] },
    ]);
    await session.changeSetting('model', 'large');
    expect(agent.calls('session/set_model').map(({ params }) => params)).toEqual([
      { sessionId: 's1', modelId: 'large' },
    ]);
    expect(session.conversation.models?.currentModelId).toBe('large');
    await expect(session.changeSetting('model', 'huge')).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringContaining('must be one of "small", "large"'),
    });
    expect(agent.calls('session/set_model')).toHaveLength(1);
  });

  test.each([
    ['mode', 'dance'],
    ['model', 'z'],
    ['web', 'yes'],
    ['nonsense', 'a'],
  ])('the unknown %s = %s is refused, and nothing is sent', async (settingId, value) => {
    const { agent, session } = await openSession('v1', {
      opened: { modes, configOptions: [model('a'), web(true)] },
    });
    await expect(session.changeSetting(settingId, value)).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringContaining(value === 'a' ? 'nonsense' : value),
    });
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize', 'session/new']);
  });
});
