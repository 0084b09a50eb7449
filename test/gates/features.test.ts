import { describe, expect, test } from 'vitest';
import { type Feature, featureNames } from '../../src/protocol/feature.ts';
import { everything, nothing } from '../support/agents.ts';
import { agentsWithout, connectIn, dialects } from './agents.ts';

describe.each(dialects)('what a connection in $name says of its agent', (dialect) => {
  test('supports, explain and features agree, whatever was advertised', async () => {
    for (const initialize of [everything[dialect.name], nothing[dialect.name]]) {
      const { connection } = await connectIn(dialect, initialize);
      expect(Object.keys(connection.features)).toEqual([...featureNames]);
      expect(Object.isFrozen(connection.features)).toBe(true);
      for (const feature of featureNames) {
        const reading = connection.explain(feature);
        expect(reading).toMatchObject({ feature, path: dialect.features[feature].path });
        expect(reading.reason).toMatch(/^[A-Z].*\.$/);
        expect([connection.supports(feature), connection.features[feature]]).toEqual([
          reading.supported,
          reading.supported,
        ]);
      }
    }
  });

  test('an agent that advertises everything supports all that the version has', async () => {
    const { connection } = await connectIn(dialect, everything[dialect.name]);
    const missing = featureNames.filter((feature) => !connection.supports(feature));
    expect(missing).toEqual(featureNames.filter((feature) => dialect.features[feature].spelling === 'never'));
  });

  test.each(featureNames)('%s is off for whatever is not its own way to say yes', async (feature) => {
    for (const { initialize, path, value } of agentsWithout(dialect, feature)) {
      const { connection } = await connectIn(dialect, initialize);
      const reading = connection.explain(feature);
      expect(reading).toMatchObject({ supported: false, path, value });
      if (value !== undefined && dialect.features[feature].spelling !== 'never') {
        expect(reading.reason).toContain(JSON.stringify(value));
      }
      expect(connection.supports(feature)).toBe(false);
    }
  });

  test.each(['', 'session.', 'toString', '__proto__', 'session.mcp._none', 'loadSession'])(
    'the name %j means nothing, and asking for it throws nothing',
    async (name) => {
      const { connection } = await connectIn(dialect, everything[dialect.name]);
      // What TypeScript would not let through.
      const feature = name as Feature;
      expect(connection.supports(feature)).toBe(false);
      expect(connection.explain(feature)).toMatchObject({ feature: name, supported: false });
    },
  );
});
