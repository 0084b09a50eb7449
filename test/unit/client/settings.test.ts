import { describe, expect, test } from 'vitest';
import { asksForPermission } from '../../../src/agents/find.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, openSession } from '../../support/open-session.ts';

const values = ['old', 'asked', 'reported', 'answered'];
const modes = { currentModeId: 'old', availableModes: values.map((id) => ({ id, name: id })) };
const models = {
  currentModelId: 'old',
  availableModels: values.map((modelId) => ({ modelId, name: modelId })),
};

describe('settings', () => {
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

  test('the model of an agent without a config option for it changes through session/set_model', async () => {
    const { agent, connection, session } = await openSession('v1', {
      opened: { models },
      answers: { 'session/set_model': {} },
    });
    expect(settingsOf(session.conversation)).toMatchObject([
      { settingId: 'model', value: 'old', choices: values.map((value) => ({ value })) },
    ]);
    await session.changeSetting('model', 'asked');
    expect(agent.calls('session/set_model').map(({ params }) => params)).toEqual([
      { sessionId: 's1', modelId: 'asked' },
    ]);
    expect(session.conversation.models?.currentModelId).toBe('asked');
    const byName = { sessionId: 's1', modelId: 'huge' };
    for (const call of [
      () => session.changeSetting('model', 'huge'),
      () => connection.request('session/set_model', byName),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'usage.params',
        message: expect.stringContaining('must be one of "old", "asked", "reported", "answered"'),
      });
    expect(agent.calls('session/set_model')).toHaveLength(1);
  });
});

const option = (currentValue: string, id = 'effort', category = 'other', choices = values) => ({
  ...{ id, configId: id, name: id, category, type: 'select', currentValue },
  options: choices.map((value) => ({ value, name: value })),
});
const optionsAre = (...configOptions: object[]) => ({ sessionUpdate: 'config_option_update', configOptions });
const modeIs = (currentModeId: string) => ({ sessionUpdate: 'current_mode_update', currentModeId });
const refused = { code: -32603, message: 'No.' };
type Sent = readonly (object | null)[];

/** Sends updates and the answer or the error, in this order and in one chunk. `null`: an empty answer. */
function changing(agent: ScriptedAgent, sent: Sent): void {
  for (const method of ['session/set_mode', 'session/set_model', 'session/set_config_option']) {
    agent.on(method, (_params, by, id) => {
      for (const each of sent) {
        if (each === refused) by.channel.send({ jsonrpc: '2.0', id, error: each });
        else if (each && 'sessionUpdate' in each) by.update('s1', each);
        else by.answer(id, each);
      }
      return noAnswer;
    });
  }
}

const shown = ({ conversation }: Session) => settingsOf(conversation).map(({ value }) => value);

/** The value that is shown after what the agent sends. What another setting is now says nothing of this one. */
const orders = (report: object): readonly (readonly [value: string, ...sent: Sent])[] => [
  ['asked', {}],
  ['asked', null],
  ['old', refused],
  ['asked', { sessionUpdate: 'usage_update', used: 1, size: 2 }, {}],
  ['reported', report, {}],
  ['reported', report, null],
  ['reported', report, refused],
  ['reported', {}, report],
  ['reported', null, report],
];
const listed = { configOptions: [option('answered'), option('old', 'other')] };
const reported = optionsAre(option('reported'), option('old', 'other'));
const optionRows = [
  ...orders(reported),
  ['answered', listed],
  ['answered', reported, listed],
  ['reported', listed, reported],
] as const;
const settings = {
  mode: { modes },
  model: { models },
  effort: { configOptions: [option('old'), option('old', 'other')] },
};

type ChangeRow = readonly [DialectName, keyof typeof settings, value: string, sent: Sent];

test.each<ChangeRow>([
  ...orders(modeIs('reported')).map(([value, ...sent]): ChangeRow => ['v1', 'mode', value, sent]),
  ...orders({})
    .slice(0, 4)
    .map(([value, ...sent]): ChangeRow => ['v1', 'model', value, sent]),
  ...dialectNames.flatMap((dialect) =>
    optionRows.map(([value, ...sent]): ChangeRow => [dialect, 'effort', value, sent]),
  ),
])(
  '[agents: setting-unanswered] in %s, the setting %s that the user changes is %s after %j',
  async (dialect, settingId, value, sent) => {
    const { agent, session } = await openSession(dialect, {
      opened: settings[settingId],
      script: (scripted) => changing(scripted, sent),
    });
    const error = await session.changeSetting(settingId, 'asked').catch((reason: unknown) => reason);
    expect(error instanceof Error).toBe(sent.includes(refused));
    await flush(agent);
    expect(shown(session)).toEqual(settingId === 'effort' ? [value, 'old'] : [value]);
  },
);

test('a mode that is an option too is what the agent reported last, in either way', async () => {
  const configOptions = [option('old', 'm', 'mode')];
  for (const [id, report] of [
    ['mode', optionsAre(option('reported', 'm', 'mode'))],
    ['m', modeIs('reported')],
  ] as const) {
    const { session, conversation } = await openSession('v1', {
      opened: { modes, configOptions },
      script: (agent) => changing(agent, [report, {}]),
    });
    await (id === 'mode' ? session.setMode('asked') : session.changeSetting(id, 'asked'));
    expect([conversation().modes?.currentModeId, ...shown(session)]).not.toContain('asked');
  }
});

test('settings stay when an open session is loaded, until the agent reports them', async () => {
  const { agent, connection, session } = await openSession('v1', {
    opened: { modes, configOptions: [option('old')] },
    answers: { 'session/set_mode': noAnswer, 'session/load': {} },
  });
  const load = () => connection.loadSession({ sessionId: 's1', cwd });
  await load();
  expect(shown(session)).toEqual(['old', 'old']);
  // What was asked for before the load is older than what the load reports.
  const change = session.setMode('asked');
  const { id = '' } = await agent.called('session/set_mode');
  agent.on('session/load', { modes: { ...modes, currentModeId: 'reported' }, configOptions: [] });
  await load();
  agent.answer(id, {});
  await change;
  expect(shown(session)).toEqual(['reported']);
  agent.on('session/load', { modes: null });
  await load();
  expect(shown(session)).toEqual([]);
});

describe.each(['v1', 'v2-baseline'] as const)('permissions: ask in %s', (dialect) => {
  test('an agent that keeps a mode that does not ask is reported, and does not count as one that asks', async () => {
    const claude = { name: '@agentclientprotocol/claude-agent-acp', version: '1.0.0' };
    const named = { ...everything[dialect], [dialect === 'v1' ? 'agentInfo' : 'info']: claude };
    const kept = option('bypassPermissions', 'mode', 'mode', ['default', 'bypassPermissions']);
    const { connection, diagnostics } = await connectFlushable(named, {
      answers: { 'session/new': { sessionId: 's1', configOptions: [kept] } },
      script: (agent) => changing(agent, [optionsAre(kept), {}]),
    });
    const session = await connection.newSession({ cwd }, { permissions: 'ask' });
    expect(asksForPermission(claude.name, settingsOf(session.conversation)).asks).toBe('no');
    expect(diagnostics.map(({ rule }) => rule)).toContain('session.does_not_ask');
  });
});
