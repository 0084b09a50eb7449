import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { cwd, panelPair, until } from '../../support/panel-pair.ts';

const option = (dialect: string, currentValue = 'small') => ({
  [dialect === 'v1' ? 'id' : 'configId']: 'model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue,
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
});

describe.each(['v1', 'v2-baseline'] as const)('before the first prompt, with an agent of %s', (dialect) => {
  /** Starts each session with the model that the client chose. */
  const script = (agent: ScriptedAgent) => {
    let sessions = 0;
    const command = { name: 'review', description: 'Reviews' };
    agent.on('session/options', {
      configOptions: [option(dialect)],
      ...(dialect !== 'v1' && { availableCommands: [{ type: 'command', ...command }] }),
    });
    agent.on('session/new', (params: JsonObject) => {
      const [chosen] = (params['configOptions'] ?? []) as readonly { value?: string }[];
      return { sessionId: `s${++sessions}`, configOptions: [option(dialect, chosen?.value)] };
    });
    agent.on('session/close', {});
    agent.on('session/prompt', () => noAnswer);
  };
  const open = () => panelPair({ dialect, script });
  const values = ({ settings }: { settings: readonly { settingId: string; value: unknown }[] }) =>
    settings.map(({ settingId, value }) => [settingId, value]);

  test('the panel has the settings and the commands of a new session, and creates none', async () => {
    const { panel, agent, problems } = await open();
    const { conversation, commands, ...state } = await until(panel, ({ settings }) => settings.length > 0);
    expect(values(state)).toEqual([['model', 'small']]);
    expect(commands.map(({ name }) => name)).toEqual(dialect === 'v1' ? [] : ['review']);
    expect(conversation).toBe(null);
    expect(
      agent()
        .calls('session/options')
        .map(({ params }) => params),
    ).toEqual([{ cwd }]);
    expect(agent().calls('session/new')).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a chosen model is shown at once, and the session of the prompt starts with it', async () => {
    const { panel, agent } = await open();
    await until(panel, ({ settings }) => settings.length > 0);
    await panel.changeSetting('model', 'large');
    expect(values(panel.getSnapshot())).toEqual([['model', 'large']]);
    // It ends with the panel.
    panel.prompt('hello').catch(() => {});
    await until(panel, ({ sessionId }) => sessionId === 's1');
    const [{ params } = {}] = agent().calls('session/new');
    expect(params?.['configOptions']).toMatchObject([{ configId: 'model', value: 'large' }]);
    expect(values(panel.getSnapshot())).toEqual([['model', 'large']]);
    expect(agent().calls('session/set_config_option')).toEqual([]);
  });

  test('the choice is for one session, and the agent is asked again when none is shown', async () => {
    const { panel, agent } = await open();
    await until(panel, ({ settings }) => settings.length > 0);
    await panel.changeSetting('model', 'large');
    await panel.newSession();
    await panel.closeSession('s1');
    await until(panel, ({ settings }) => settings[0]?.value === 'small');
    expect(agent().calls('session/options')).toHaveLength(2);
    await panel.newSession();
    expect(agent().calls('session/new')[1]?.params).not.toHaveProperty('configOptions');
  });
});

test('a switch is offered on and off, and each setting has its own values', async () => {
  const { panel } = await panelPair({
    script: (agent) =>
      agent.on('session/options', {
        configOptions: [option('v1'), { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false }],
      }),
  });
  await until(panel, ({ settings }) => settings.length === 2);
  await panel.changeSetting('fast', true);
  expect(panel.getSnapshot().settings).toMatchObject([
    { value: 'small' },
    { settingId: 'fast', value: true },
  ]);
  // What was not offered is refused.
  for (const [settingId, value] of [
    ['fast', 'small'],
    ['color', true],
    ['model', 'huge'],
    ['model', true],
  ] as const)
    await expect(panel.changeSetting(settingId, value)).rejects.toMatchObject({ code: 'panel.refused' });
});

test('an agent that ends while it is asked is reported once', async () => {
  const { panel, problems } = await panelPair({
    script: (agent, start) =>
      start === 1 &&
      agent.on('session/options', () => {
        agent.channel.exit({ exitCode: 1 });
        return noAnswer;
      }),
  });
  await until(panel, ({ phase, problem }) => phase === 'open' && problem !== null);
  expect(problems.map(({ code }) => code)).toEqual(['agent.exit']);
});

test('an agent that fails to say it is reported to the program, and not to the user', async () => {
  const { panel, problems } = await panelPair({
    script: (agent) => agent.on('session/options', () => Promise.reject(new Error('no such thing'))),
  });
  await panel.newSession();
  expect(panel.getSnapshot().problem).toBe(null);
  expect(problems).toMatchObject([{ code: 'remote' }]);
});

test('without a workspace nobody is asked, and the user learns it from the prompt', async () => {
  const { panel, agent, problems } = await panelPair({
    options: {
      workspace: () => {
        throw new Error('no folder is open');
      },
    },
  });
  expect(agent().calls('session/options')).toEqual([]);
  expect(problems).toEqual([]);
  await expect(panel.newSession()).rejects.toThrow('no folder is open');
});
