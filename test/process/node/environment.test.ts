import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { registeredAgentCommand } from '../../../src/agents/registry/command.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import type { AuthMethod } from '../../../src/core/protocol/dialect.ts';
import { mcpServersFromConfig } from '../../../src/node/files/mcp-config.ts';
import { loginInTerminal, terminalLoginCommand } from '../../../src/node/terminals/terminal-login.ts';
import { type NodeTerminalsOptions, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { sharedFolder } from '../../support/temporary-folder.ts';
import {
  firstMessage,
  isWindows,
  type PrintedEnvironment,
  environmentProgram as program,
  type Variables,
} from './processes.ts';

/** Variables of an editor. On Windows, their names can have any case. */
const ofTheEditor: Variables = {
  [isWindows ? 'Electron_Run_As_Node' : 'ELECTRON_RUN_AS_NODE']: '1',
  VSCODE_ESM_ENTRYPOINT: 'vs/workbench/api/node/extensionHostProcess',
  SNAP_NAME: 'code',
  GDK_PIXBUF_MODULE_FILE: '/snap/code/160/loaders.cache',
  GTK_PATH: '/snap/code/160/usr/lib/gtk-3.0',
  GTK_PATH_VSCODE_SNAP_ORIG: '/usr/lib/gtk-3.0',
};
const kept: Variables = { VSCODE_PORTABLE: '/data', ACP_TEST_KEPT: 'kept' };
const left: Variables = { ...kept, GTK_PATH: '/usr/lib/gtk-3.0' };

const setVariables = (variables: Variables) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};
beforeEach(() => setVariables({ ...ofTheEditor, ...kept }));
afterEach(() => void vi.unstubAllEnvs());
const folder = sharedFolder();

const removed = new Set(Object.keys(ofTheEditor).map((name) => name.toUpperCase()));
removed.delete('GTK_PATH');

function expectClean(...environments: readonly Variables[]): void {
  for (const variables of environments) {
    expect(variables).toMatchObject(left);
    expect(Object.keys(variables).filter((name) => removed.has(name.toUpperCase()))).toEqual([]);
  }
}

const agent = { command: process.execPath, args: [program] };

const terminalLogin: AuthMethod = {
  methodId: 'tty',
  name: 'Terminal',
  description: null,
  type: 'terminal',
  env: { ELECTRON_ACP_METHOD: 'from the method' },
};

describe('the variables of the editor', () => {
  test('[security: editor-variables] do not reach an agent, and what the agent starts', async () => {
    const { env, started } = await firstMessage(agent);
    expectClean(env, started);
  });

  test('make an agent ask with permissions, unless env has them', async () => {
    const asking = { ...agent, permissions: 'ask', env: { KILO_PERMISSION: '{}' } } as const;
    const { env } = await firstMessage(asking);
    expect(env).toMatchObject({
      OPENCODE_PERMISSION: expect.stringContaining('"bash":"ask"'),
      KILO_PERMISSION: '{}',
    });
    const started = spawnAgent(asking);
    expect(started.program?.env?.('KILO_PERMISSION')).toBe('{}');
    await started.close();
    expect((await firstMessage(agent)).env).not.toHaveProperty('OPENCODE_PERMISSION');
  });

  test('reach an agent if they are kept', async () => {
    const { env } = await firstMessage({ ...agent, editorVariables: 'keep' });
    expect(env).toMatchObject({ ...ofTheEditor, ...kept });
  });

  test('reach an agent if its env has them', async () => {
    const changes = { ELECTRON_ACP_TEST: 'given', VSCODE_PID: '7', VSCODE_PORTABLE: undefined };
    const { env } = await firstMessage({ ...agent, env: changes });
    expect(env).toMatchObject({ ELECTRON_ACP_TEST: 'given', VSCODE_PID: '7' });
    expect(env).not.toHaveProperty('VSCODE_PORTABLE');
  });

  type TerminalVariables = readonly { readonly name: string; readonly value: string }[];
  const inTerminal = async (
    options: NodeTerminalsOptions,
    env: TerminalVariables = [],
  ): Promise<PrintedEnvironment> => {
    await using terminals = nodeTerminals(options);
    const { terminalId } = await terminals.create({ ...agent, env });
    await terminals.waitForExit({ terminalId });
    return JSON.parse((await terminals.output({ terminalId })).output);
  };

  test('[security: editor-variables] do not reach commands in terminals', async () => {
    const { env, started } = await inTerminal({});
    expectClean(env, started);
  });

  test('reach commands in terminals if they are kept, or given by the editor or the agent', async () => {
    const { env } = await inTerminal({ editorVariables: 'keep' });
    expect(env).toMatchObject({ ...ofTheEditor, ...kept });
    const given = await inTerminal({ env: { ELECTRON_ACP_TEST: 'editor', VSCODE_PID: '7' } }, [
      { name: 'ELECTRON_ACP_TEST', value: 'agent' },
    ]);
    expect(given.env).toMatchObject({ ELECTRON_ACP_TEST: 'agent', VSCODE_PID: '7' });
    expectClean(given.env);
  });

  test('[security: editor-variables] do not reach the command of a login, and the variables of the method do', async () => {
    const file = join(folder, 'login.json');
    await loginInTerminal({ ...agent, args: [program, file] }, terminalLogin);
    const { env, started }: PrintedEnvironment = JSON.parse(readFileSync(file, 'utf8'));
    expectClean(env, started);
    expect(env).toMatchObject({ ELECTRON_ACP_METHOD: 'from the method' });
  });

  test('are in the command of a login if they are kept, or the env of the agent has them', () => {
    const withOne = { ...agent, env: { VSCODE_PID: '7' } };
    const { env } = terminalLoginCommand(withOne, terminalLogin);
    expectClean(env);
    expect(env).toMatchObject({ VSCODE_PID: '7' });
    const keeping = terminalLoginCommand({ ...withOne, editorVariables: 'keep' }, terminalLogin);
    expect(keeping.env).toMatchObject({ ...ofTheEditor, ...kept, VSCODE_PID: '7' });
  });

  test.skipIf(isWindows)('do not decide where programs are looked up', async () => {
    const bundle = join(folder, 'appimage');
    mkdirSync(join(bundle, 'bin'), { recursive: true });
    for (const name of ['npx', 'acp-test-server']) {
      writeFileSync(join(bundle, 'bin', name), '#!/bin/sh\n', { mode: 0o755 });
    }
    const PATH = `${join(bundle, 'bin')}:/nothing`;
    setVariables({ APPIMAGE: '/editor.AppImage', APPDIR: bundle, PATH });
    const entry = { id: 'one', distribution: { npx: { package: 'one' } } };
    await expect(registeredAgentCommand(entry, 'one')).rejects.toThrow('It needs npx');
    expect(await registeredAgentCommand(entry, 'one', { env: { PATH } })).toMatchObject({ command: 'npx' });
    const config = { mcpServers: { server: { command: 'acp-test-server' } } };
    expect((await mcpServersFromConfig(config)).servers).toEqual([]);
    expect((await mcpServersFromConfig(config, { env: { PATH } })).servers).toHaveLength(1);
  });

  test('are kept or removed, and nothing else', () => {
    // A caller without types.
    const wrong = { editorVariables: 'clean' as 'keep' };
    const message = 'editorVariables must be one of remove, keep; got "clean"';
    expect(() => spawnAgent({ ...agent, ...wrong })).toThrow(message);
    expect(() => nodeTerminals(wrong)).toThrow(message);
  });
});
