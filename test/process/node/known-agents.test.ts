import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knownAgents } from '../../../src/agents/known-agents.ts';
import { testedAgents } from '../../../src/agents/tested-agents.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import type { AgentCommand } from '../../../src/node/process/node-command.ts';
import type { PanelAgent } from '../../../src/ui/panel/agent-choice.ts';
import { everything } from '../../support/agents.ts';
import { answeringAgent, folderOfTest } from './probed.ts';
import { isWindows } from './processes.ts';

/** A directory for PATH with programs, each a shell script. */
function pathWith(programs: Readonly<Record<string, string>>): string {
  const folder = folderOfTest();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

// The programs are shell scripts.
describe.skipIf(isWindows)('the agents that are known', () => {
  const started: AgentCommand[] = [];
  const start = (command: AgentCommand) => {
    started.push(command);
    return memoryTransport().transport;
  };
  const known = (programs: Readonly<Record<string, string>>) => {
    const PATH = pathWith(programs);
    // A panel takes them as they are.
    const list: Promise<readonly PanelAgent[]> = knownAgents({ start, env: { PATH } });
    return Object.assign(list, { PATH });
  };

  test('have those that are installed first, with their own program', async () => {
    const found = known({ gemini: 'exit 0', npx: 'exit 0' });
    const [first, ...others] = await found;
    expect(first).toMatchObject({ id: 'gemini', isInstalled: true });
    expect(first?.installCommand).toBeUndefined();
    expect(first?.note).toBeUndefined();
    expect(first?.testedVersion).toBe(testedAgents.find(({ id }) => id === 'gemini')?.version);
    void first?.start();
    expect(started.at(-1)).toEqual({ command: join(found.PATH, 'gemini'), args: ['--acp'], env: {} });
    expect(others.map(({ isInstalled }) => isInstalled)).toEqual(others.map(() => false));
  });

  test('say what installs the others, and that the start downloads them', async () => {
    const agent = (await known({ npx: 'exit 0' })).find(({ id }) => id === 'qwen-code');
    const { version } = testedAgents.find(({ id }) => id === 'qwen-code') ?? {};
    expect(agent).toMatchObject({
      isInstalled: false,
      installCommand: `npm install --global @qwen-code/qwen-code@${version}`,
      note: 'The start downloads it with npx.',
    });
    void agent?.start();
    expect(started.at(-1)).toEqual({
      command: 'npx',
      args: ['-y', `@qwen-code/qwen-code@${version}`, '--acp'],
      env: {},
    });
  });

  test('say what is missing without npx, and do not start', async () => {
    const agents = await known({});
    expect(agents.length).toBeGreaterThan(testedAgents.length);
    for (const { isInstalled, note, start: run } of agents) {
      expect(isInstalled).toBe(false);
      expect(note).toContain('install Node');
      expect(run).toThrow(/cannot be started here.+install Node/);
    }
  });

  test('are looked up without a session', async () => {
    const { command, received } = answeringAgent({
      initialize: everything.v1,
      answers: { 'auth/status': { result: { state: 'unauthenticated' } } },
    });
    const { args = [], env = {} } = command;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = ['env', ...variables, command.command, ...args];
    const [agent] = await known({ gemini: `exec ${words.map((word) => `'${word}'`).join(' ')}` });
    const status = await agent?.probe?.(new AbortController().signal);
    expect(status).toEqual({ isInstalled: true, login: 'needed', version: '1.0.0' });
    expect(received()).not.toContain('session/new');
  });
});
