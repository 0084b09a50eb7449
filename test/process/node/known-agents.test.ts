import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { knownAgents } from '../../../src/agents/known-agents.ts';
import { publishedRegistryUrl } from '../../../src/agents/registry/address.ts';
import { readContent } from '../../../src/agents/registry/content.ts';
import { registry } from '../../../src/agents/registry/open.ts';
import { registrySnapshot, testedFirst } from '../../../src/agents/registry/snapshot.ts';
import { testedAgents } from '../../../src/agents/tested-agents.ts';
import { ConnectionClosedError } from '../../../src/core/base/errors.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import type { AgentCommand } from '../../../src/node/process/node-command.ts';
import type { PanelAgent } from '../../../src/ui/panel/agent-choice.ts';
// @ts-expect-error no declarations
import { listedAgents } from '../../agents/catalog.mjs';
import { everything } from '../../support/agents.ts';
// @ts-expect-error no declarations
import { turnNetworkOff } from '../../support/no-network.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answeringAgent, isWindows } from './processes.ts';

/** A directory for PATH with programs, each a shell script. */
function pathWith(programs: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
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

test('the snapshot is a registry with the agents of the suite, in the versions that were tested', () => {
  const { agents, takenAt } = registrySnapshot();
  const content = readContent(Buffer.from(JSON.stringify({ version: '1.0.0', agents })));
  expect(content.problems).toEqual([]);
  expect(content.agents).toEqual(agents);
  expect(Number.isNaN(Date.parse(takenAt))).toBe(false);
  const suite = [...testedAgents, ...listedAgents].map(({ id }: { readonly id: string }) => id);
  expect(agents.map(({ id }) => id)).toEqual(expect.arrayContaining(suite));
  for (const { id, version, package: npmPackage, args } of testedAgents) {
    const distribution = { npx: { package: npmPackage, args } };
    expect(agents.find((agent) => agent.id === id)).toMatchObject({ version, distribution });
  }
});

test('an agent that was tested is listed once, with what the registry says about it and the tested version', () => {
  const [first, second] = testedAgents;
  if (!first || !second) throw new Error('No agent was tested.');
  const distribution = { npx: { package: '@example/one@0.0.1' } };
  const other = { id: 'other', name: 'Other', authors: [], distribution };
  const known = { ...other, id: second.id, version: '0.0.1', description: 'Known.', authors: ['Its maker'] };
  const agents = testedFirst([other, known]);
  expect(agents.map(({ id }) => id)).toEqual([...testedAgents.map(({ id }) => id), 'other']);
  const { id, name, version, args } = first;
  const start = (npmPackage: string) => ({ npx: { package: npmPackage, args } });
  expect(agents[0]).toEqual({ id, name, version, authors: [], distribution: start(first.package) });
  expect(agents[1]).toMatchObject({
    version: second.version,
    description: 'Known.',
    authors: ['Its maker'],
    distribution: { npx: { package: second.package } },
  });
  expect(agents.at(-1)).toBe(other);
});

test('without a network and without a copy, the published registry is the snapshot, and says so', async () => {
  onTestFinished(turnNetworkOff());
  const cacheFolder = temporaryFolder();
  const found = await registry({ url: publishedRegistryUrl, cacheFolder });
  const { agents, takenAt } = registrySnapshot();
  expect(found).toMatchObject({
    source: 'snapshot',
    agents,
    problems: [],
    fetchedAt: takenAt,
    problem: expect.stringMatching(/ENOTFOUND/),
  });
  expect(found.ageMs).toBeGreaterThanOrEqual(0);
  const other = registry({ url: 'https://registry.invalid/registry.json', cacheFolder });
  await expect(other).rejects.toBeInstanceOf(ConnectionClosedError);
});

test('knownAgents has the same rows, without a network and without options', async () => {
  onTestFinished(turnNetworkOff());
  const ids = registrySnapshot().agents.map(({ id }) => id);
  for (const options of [undefined, {}, { cacheFolder: temporaryFolder() }]) {
    const known = await knownAgents(options);
    expect(known.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const row = known.find(({ id }) => id === 'codex-acp');
    expect(row).toMatchObject({ name: 'Codex', loginCommands: ['codex login'] });
    expect(row?.keyVariables).toContain('OPENAI_API_KEY');
  }
});
