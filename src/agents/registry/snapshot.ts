import { testedAgents } from '../tested-agents.ts';
import type { RegistryAgent } from './content.ts';
import { publishedAgents, takenAt } from './published-agents.ts';

/** The agents of the published registry when this package was made, for a machine without a network. */
export function registrySnapshot() {
  return { takenAt, agents: testedFirst(publishedAgents) };
}

/** Those that the package was tested with come first, and start in the version that was tested. */
export function testedFirst(published: readonly RegistryAgent[]): readonly RegistryAgent[] {
  const tested = testedAgents.map(({ id, name, version, package: npmPackage, args }): RegistryAgent => {
    const entry = published.find((agent) => agent.id === id);
    const distribution = { npx: { package: npmPackage, args } };
    return { authors: [], ...entry, id, name, version, distribution };
  });
  const ids = new Set(tested.map(({ id }) => id));
  return [...tested, ...published.filter(({ id }) => !ids.has(id))];
}
