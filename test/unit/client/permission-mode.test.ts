import { describe, expect, test } from 'vitest';
import { asksForPermission } from '../../../src/agents/find.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { settingsOf } from '../../../src/core/conversation/settings.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';

const cwd = '/home/user/project';

/** The modes of claude-agent-acp 0.100.0. Version 0.101.0 opens sessions in `auto`. */
const modes = (currentModeId: string) => ({
  currentModeId,
  availableModes: [
    { id: 'default', name: 'Manual', description: 'Always ask before making changes' },
    { id: 'acceptEdits', name: 'Accept edits', description: 'Automatically accept all file edits' },
    { id: 'plan', name: 'Plan', description: 'Create a plan before making changes' },
    { id: 'auto', name: 'Auto', description: 'Claude handles permission decisions' },
  ],
});
const mode = (currentValue: string) => ({
  id: 'mode',
  configId: 'mode',
  name: 'Mode',
  category: 'mode',
  type: 'select',
  currentValue,
  options: modes(currentValue).availableModes.map(({ id, ...rest }) => ({ value: id, ...rest })),
});
const autoApprove = (currentValue: boolean) => ({
  id: 'auto_approve',
  name: 'Auto-approve tools',
  type: 'boolean',
  currentValue,
});

type Script = NonNullable<NonNullable<Parameters<typeof connectTo>[1]>['script']>;

async function agentNamed(name: string, dialect: 'v1' | 'v2-baseline', script: Script) {
  const diagnostics: Diagnostic[] = [];
  const info = { name, version: '1.0.0' };
  const connected = await connectTo(
    { ...everything[dialect], ...(dialect === 'v1' ? { agentInfo: info } : { info }) },
    { script, onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic) },
  );
  return { ...connected, warnings: () => diagnostics.filter(({ rule }) => rule === 'session.does_not_ask') };
}

const claude = '@agentclientprotocol/claude-agent-acp';

describe('an agent that opens sessions in a mode that does not ask', () => {
  test('keeps its mode without the option, and the warning says so', async () => {
    const { agent, connection, warnings } = await agentNamed(claude, 'v1', (agent) =>
      agent.on('session/new', { sessionId: 's1', modes: modes('auto') }),
    );
    const session = await connection.newSession({ cwd });
    expect(session.conversation.modes?.currentModeId).toBe('auto');
    expect(agent.calls('session/set_mode')).toEqual([]);
    expect(warnings()).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringContaining('With "Mode" set to "Auto", the agent edits files'),
      },
    ]);
  });

  test('gets the mode that asks with the option, before the call resolves', async () => {
    const { agent, connection, warnings } = await agentNamed(claude, 'v1', (agent) =>
      agent.on('session/new', { sessionId: 's1', modes: modes('auto') }).on('session/set_mode', {}),
    );
    const session = await connection.newSession({ cwd }, { permissions: 'ask' });
    expect(session.conversation.modes?.currentModeId).toBe('default');
    expect(agent.calls('session/set_mode')).toMatchObject([
      { params: { sessionId: 's1', modeId: 'default' } },
    ]);
    expect(warnings()).toEqual([]);
    expect(asksForPermission(claude, settingsOf(session.conversation))).toEqual({
      asks: 'yes',
      reason: null,
    });
  });

  test('gets it as a config option in version 2, also where a session is opened again', async () => {
    const { agent, connection, warnings } = await agentNamed(claude, 'v2-baseline', (agent) =>
      agent
        .on('session/resume', { configOptions: [mode('auto')] })
        .on('session/set_config_option', { configOptions: [mode('default')] }),
    );
    const session = await connection.openSession(
      { sessionId: 's1', cwd },
      { history: 'skip', permissions: 'ask' },
    );
    expect(settingsOf(session.conversation)).toMatchObject([{ settingId: 'mode', value: 'default' }]);
    expect(agent.calls('session/set_config_option')).toMatchObject([
      { params: { configId: 'mode', value: 'default' } },
    ]);
    expect(warnings()).toEqual([]);
  });

  test('opens the session also if it refuses the mode, and the warning says why', async () => {
    const { connection, warnings } = await agentNamed(claude, 'v1', (agent) =>
      agent
        .on('session/new', { sessionId: 's1', modes: modes('auto') })
        .on('session/set_mode', refuses(-32603, 'Not today')),
    );
    const session = await connection.newSession({ cwd }, { permissions: 'ask' });
    expect(session.isClosed).toBe(false);
    expect(warnings()).toMatchObject([{ message: expect.stringContaining('Not today') }]);
  });
});

test('a mode that asks, or does nothing, is left as it is, and is set again after a restart', async () => {
  const agent = { ...everything.v1, agentInfo: { name: claude, version: '1.0.0' } };
  const restarting = await connectRestarting((scripted) =>
    scripted
      .on('initialize', agent)
      .on('session/new', { sessionId: 's1', modes: modes('plan') })
      .on('session/resume', {})
      .on('session/set_mode', {}),
  );
  await restarting.connection.newSession({ cwd }, { permissions: 'ask' });
  await crash(restarting);
  await restarting.connection.ready;
  expect(restarting.diagnostics.map(({ rule }) => rule)).not.toContain('session.does_not_ask');
  expect(restarting.agents.map((each) => each.calls('session/set_mode'))).toMatchObject([
    [],
    [{ params: { modeId: 'plan' } }],
  ]);
});

test('an option that is true or false is switched off', async () => {
  const { agent, connection, warnings } = await agentNamed('cline', 'v1', (agent) =>
    agent
      .on('session/new', { sessionId: 's1', configOptions: [autoApprove(true)] })
      .on('session/set_config_option', { configOptions: [autoApprove(false)] }),
  );
  await connection.newSession({ cwd }, { permissions: 'ask' });
  expect(agent.calls('session/set_config_option')).toMatchObject([
    { params: { configId: 'auto_approve', value: false } },
  ]);
  expect(warnings()).toEqual([]);
});

test('an agent that never asks is reported, with the option too', async () => {
  const { connection, warnings } = await agentNamed('pi-acp', 'v1', (agent) =>
    agent.on('session/new', { sessionId: 's1', modes: modes('default') }),
  );
  await connection.newSession({ cwd }, { permissions: 'ask' });
  expect(warnings()).toMatchObject([{ message: expect.stringContaining('never asks for permission') }]);
});

test('of an agent that is not known, nothing is said and nothing is changed', async () => {
  const { agent, connection, warnings } = await agentNamed('new-agent', 'v1', (agent) =>
    agent.on('session/new', { sessionId: 's1', modes: modes('auto') }).on('session/set_mode', {}),
  );
  const session = await connection.newSession({ cwd }, { permissions: 'ask' });
  expect(agent.calls('session/set_mode')).toEqual([]);
  expect(warnings()).toEqual([]);
  const settings = settingsOf(session.conversation);
  const mayAct = { asks: 'unknown', reason: 'This agent may act without asking.' };
  expect(asksForPermission('new-agent', settings)).toEqual(mayAct);
  expect(asksForPermission(undefined, settings)).toEqual(mayAct);
  expect(asksForPermission(claude, [])).toEqual(mayAct);
});

describe.each([
  ['OpenCode', 'OPENCODE_PERMISSION'],
  ['Kilo', 'KILO_PERMISSION'],
])('%s, which asks with the variable %s alone', (name, variable) => {
  const open = async (set: Readonly<Record<string, string>>) => {
    const agent = await agentNamed(name, 'v1', (scripted) =>
      Object.assign(scripted.on('session/new', { sessionId: 's1' }).transport, {
        program: { command: 'agent', args: [], env: (asked: string) => set[asked] },
      }),
    );
    const session = await agent.connection.newSession({ cwd }, { permissions: 'ask' });
    expect(asksForPermission(name, settingsOf(session.conversation)).asks).toBe('unknown');
    return agent.warnings();
  };

  test('is reported where it was started without it, with what helps', async () => {
    const message = expect.stringMatching(
      `permissions: 'ask' of spawnAgent, or with .* ${variable}=\\{"edit":"ask"`,
    );
    expect(await open({})).toMatchObject([{ severity: 'warning', message }]);
  });

  test('is not reported where it was started with it', async () => {
    expect(await open({ [variable]: '{}' })).toEqual([]);
  });
});
