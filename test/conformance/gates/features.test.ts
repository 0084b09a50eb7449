import { describe, expect, test } from 'vitest';
import { type Feature, featureNames } from '../../../src/core/protocol/feature.ts';
import { dialectNames, everything, nothing } from '../../support/agents.ts';
import { agentsWithout, capabilities, connectIn } from './capabilities.ts';

describe.each(dialectNames)('features of an agent in %s', (dialect) => {
  test('supports, explain and features agree, and what an agent advertises is supported', async () => {
    for (const initialize of [nothing[dialect], everything[dialect]]) {
      const { connection } = await connectIn(dialect, initialize);
      expect(Object.keys(connection.features)).toEqual([...featureNames]);
      expect(Object.isFrozen(connection.features)).toBe(true);
      for (const feature of featureNames) {
        const reading = connection.explain(feature);
        expect(reading).toMatchObject({ feature, path: capabilities[dialect][feature].path });
        expect(reading.reason).toMatch(/^[A-Z].*\.$/);
        expect([connection.supports(feature), connection.features[feature]]).toEqual([
          reading.supported,
          reading.supported,
        ]);
        if (initialize === everything[dialect])
          expect(reading.supported).toBe(capabilities[dialect][feature].kind !== 'never');
      }
    }
  });

  test.each(featureNames)('%s is supported only for the value that advertises it', async (feature) => {
    for (const { initialize, path, value } of agentsWithout(dialect, feature)) {
      const { connection } = await connectIn(dialect, initialize);
      const reading = connection.explain(feature);
      expect(reading).toMatchObject({ supported: false, path, value });
      if (value !== undefined && capabilities[dialect][feature].kind !== 'never') {
        expect(reading.reason).toContain(JSON.stringify(value));
      }
      expect(connection.supports(feature)).toBe(false);
    }
  });

  test('an unknown name is not supported, and does not throw', async () => {
    const { connection } = await connectIn(dialect, everything[dialect]);
    for (const name of ['', 'session.', 'toString', '__proto__', 'session.mcp._none', 'loadSession']) {
      // TypeScript does not accept the name.
      const feature = name as Feature;
      expect(connection.supports(feature)).toBe(false);
      expect(connection.explain(feature)).toMatchObject({ feature: name, supported: false });
    }
  });
});
