import { testedAgents } from '../tested-agents.ts';
import type { RegistryAgent } from './content.ts';
import { publishedAgents, takenAt } from './published-agents.ts';

/** The registry that this package contains, for a machine without a network. */
export interface RegistrySnapshot {
  readonly agents: readonly RegistryAgent[];
  /** When it was taken, as ISO 8601. */
  readonly takenAt: string;
}

/** The agents of the published registry when this package was made. */
export function registrySnapshot(): RegistrySnapshot {
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
