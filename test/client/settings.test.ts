import { describe, expect, test } from 'vitest';
import { chooseOption } from '../../src/client/choose-option.ts';
import { settings } from '../../src/conversation/settings.ts';
import { connectTo, everything } from '../support/agents.ts';

const cwd = '/home/user/project';
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

describe('one view of what can be set', () => {
  test('modes and config options, changed by whichever call each takes, confirmed by the answers', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent
          .on('session/new', { sessionId: 's1', modes, configOptions: [model('a'), web(false)] })
          .on('session/set_mode', {})
          // Another setting follows: what the agent answers is what counts.
          .on('session/set_config_option', { configOptions: [model('b'), web(true)] }),
    });
    const session = await connection.newSession({ cwd });
    const now = () =>
      settings(session.conversation.getSnapshot()).map(({ settingId, value }) => [settingId, value]);
    expect(now()).toEqual([
      ['mode', 'ask'],
      ['model', 'a'],
      ['web', false],
    ]);
    expect(settings(session.conversation.getSnapshot())[1]?.choices).toMatchObject([
      { value: 'a', group: 'Big' },
      { value: 'b', group: 'Small' },
    ]);
    await session.change('mode', 'code');
    await session.change('model', 'b');
    expect(now()).toEqual([
      ['mode', 'code'],
      ['model', 'b'],
      ['web', true],
    ]);
    await session.change('web', false);
    expect(agent.calls('session/set_mode')[0]?.params).toEqual({ sessionId: 's1', modeId: 'code' });
    expect(agent.calls('session/set_config_option').map(({ params }) => params)).toEqual([
      { sessionId: 's1', configId: 'model', value: 'b' },
      { sessionId: 's1', configId: 'web', type: 'boolean', value: false },
    ]);
  });

  test('an answer of {} is taken for what was asked', async () => {
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent
          .on('session/new', { sessionId: 's1', configOptions: [model('a')] })
          .on('session/set_config_option', {}),
    });
    const session = await connection.newSession({ cwd });
    await session.change('model', 'b');
    expect(settings(session.conversation.getSnapshot())[0]?.value).toBe('b');
  });

  test.each([
    ['mode', 'dance'],
    ['model', 'z'],
    ['web', 'yes'],
    ['nonsense', 'a'],
  ])('%s = %s does not exist: it is said, and nothing sent', async (settingId, value) => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's1', modes, configOptions: [model('a'), web(true)] }),
    });
    const session = await connection.newSession({ cwd });
    await expect(session.change(settingId, value)).rejects.toMatchObject({
      code: 'usage.params',
      message: expect.stringContaining(value === 'a' ? 'nonsense' : value),
    });
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize', 'session/new']);
  });
});

test('a permission is chosen by its kind, and not at all where the kind repeats', () => {
  const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind });
  const options = [
    option('always-1', 'allow_always'),
    option('yes', 'allow_once'),
    option('always-2', 'allow_always'),
    option('?', 'strange'),
  ];
  expect(chooseOption(options, 'allow_once')).toEqual({ outcome: 'selected', optionId: 'yes' });
  expect(chooseOption(options, 'allow_always')).toBeUndefined();
  expect(chooseOption(options, 'reject_once')).toBeUndefined();
});
