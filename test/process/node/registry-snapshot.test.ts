import { expect, onTestFinished, test } from 'vitest';
import { knownAgents } from '../../../src/agents/known-agents.ts';
import { publishedRegistryUrl } from '../../../src/agents/registry/address.ts';
import { readContent } from '../../../src/agents/registry/content.ts';
import { registry } from '../../../src/agents/registry/open.ts';
import { registrySnapshot, testedFirst } from '../../../src/agents/registry/snapshot.ts';
import { testedAgents } from '../../../src/agents/tested-agents.ts';
import { ConnectionClosedError } from '../../../src/core/base/errors.ts';
// The suite of agents is JavaScript.
// @ts-expect-error no declarations
import { listedAgents } from '../../agents/catalog.mjs';
// @ts-expect-error no declarations
import { turnNetworkOff } from '../../support/no-network.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
  const ids = testedAgents.map(({ id }) => id);
  expect(agents.map(({ id }) => id)).toEqual([...ids, 'other']);
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
