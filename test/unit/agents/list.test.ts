import { expect, test } from 'vitest';
import { agents } from '../../../src/agents/list.ts';
import { testedAgents } from '../../../src/agents/tested-agents.ts';
// The suite of agents is JavaScript.
// @ts-expect-error no declarations
import { testedAgents as suite } from '../../agents/catalog.mjs';

test('the agents that were tested are those of the suite', () => {
  expect(testedAgents).toEqual(suite);
});

test('no value of a known agent both asks and does not, and no name is in two rows', () => {
  const names = agents.flatMap((row) => row.names);
  expect(new Set(names).size).toBe(names.length);
  for (const { permissions = [] } of agents) {
    for (const { asking, notAsking } of permissions) {
      expect(asking.filter((value) => notAsking.includes(value))).toEqual([]);
      expect(asking.length).toBeGreaterThan(0);
    }
  }
});
