import { describe, expect, test } from 'vitest';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

const choices = [
  { value: 'small', name: 'Small' },
  { value: 'large', name: 'Large' },
];
const command = { name: 'review', description: 'Reviews the change' };

const option = (id: string, name: string, fields: object) => ({ id, configId: id, name, ...fields });
const configOptions = [
  option('model', 'Model', { category: 'model', type: 'select', currentValue: 'small', options: choices }),
  option('fast', 'Fast', { type: 'boolean', currentValue: false }),
];

/** The agent's answer in each version. */
const answers = {
  v1: { configOptions, modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] } },
  v2: { configOptions, availableCommands: [{ type: 'command', ...command }] },
};

const script = (version: keyof typeof answers) => (agent: ScriptedAgent) =>
  agent
    .on('session/options', { ...answers[version], _meta: { seen: true } })
    .on('session/new', { sessionId: 's1' })
    .on('session/load', {})
    .on('session/resume', {})
    .on('session/fork', { sessionId: 's2' });

describe.each([
  ['v1', everything.v1],
  ['v2', everything['v2-baseline']],
] as const)('the options of a session in %s', (version, initialize) => {
  const open = () => connectTo(initialize, { script: script(version) });

  test('are what the agent says, without a session or with the id of one that it keeps, and settingsOf reads them', async () => {
    const { agent, connection } = await open();
    const options = await connection.sessionOptions({ cwd, additionalDirectories: ['/other', cwd] });
    const settings = settingsOf(options).map(({ settingId, value }) => [settingId, value]);
    expect(settings).toEqual([
      ...(version === 'v1' ? [['mode', 'ask']] : []),
      ['model', 'small'],
      ['fast', false],
    ]);
    expect(options.commands).toMatchObject(version === 'v2' ? [command] : []);
    expect(options._meta).toEqual({ seen: true });
    await connection.sessionOptions({ cwd, sessionId: 's9' });
    expect(agent.calls('session/options').map(({ params }) => params)).toEqual([
      { cwd, additionalDirectories: ['/other'] },
      { cwd, sessionId: 's9' },
    ]);
    expect(connection.sessions).toEqual([]);
  });

  test('are chosen with each call that opens a session, in the form of the version', async () => {
    const { agent, connection } = await open();
    const configOptions = [
      { configId: 'model', value: 'large' },
      { configId: 'fast', value: true },
    ];
    await connection.newSession({ cwd, configOptions });
    await connection.forkSession({ sessionId: 's1', cwd, configOptions });
    await connection.loadSession({ sessionId: 's3', cwd, configOptions });
    await connection.resumeSession({ sessionId: 's4', cwd, configOptions });
    const id = version === 'v1' ? {} : { type: 'id' };
    const sent = agent.received.filter(({ params }) => params?.['configOptions'] !== undefined);
    expect(sent).toHaveLength(4);
    for (const { params } of sent) {
      expect(params?.['configOptions']).toEqual([
        { configId: 'model', value: 'large', ...id },
        { configId: 'fast', value: true, type: 'boolean' },
      ]);
    }
  });

  test('that are wrong are refused before anything is sent', async () => {
    const { agent, connection } = await open();
    const before = agent.received.length;
    const wrong: readonly unknown[] = ['model', [{ configId: 'model' }], [{ value: 'large' }], [null]];
    for (const configOptions of wrong) {
      // The types forbid it, and JavaScript does not.
      const params = { cwd, configOptions } as Parameters<typeof connection.newSession>[0];
      await expect(connection.newSession(params)).rejects.toMatchObject({ code: 'usage.params' });
    }
    await expect(connection.sessionOptions({ cwd: 'here' })).rejects.toMatchObject({ code: 'usage.params' });
    const misspelt = { cwd, session: 's1' } as Parameters<typeof connection.sessionOptions>[0];
    await expect(connection.sessionOptions(misspelt)).rejects.toThrow('"session" is not a parameter');
    expect(agent.received.length).toBe(before);
  });
});
