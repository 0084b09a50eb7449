import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { unstableFeatures } from '../../src/core/protocol/feature.ts';
import { officialDefs } from '../support/official-schema.ts';
import { dialects, initialize, outside, updates, versions } from './ours.ts';

interface OfficialMethod {
  readonly method: string;
  readonly side: string;
}

function officialMethods(version: 1 | 2): readonly OfficialMethod[] {
  const seen = new Map<string, OfficialMethod>();
  for (const { 'x-method': method, 'x-side': side } of Object.values(officialDefs(version))) {
    if (method && side) seen.set(`${side} ${method}`, { method, side });
  }
  return [...seen.values()];
}

/** Methods that no dialect has in its tables, with the reason. */
const excluded: Readonly<Record<string, string>> = {
  'agent initialize': 'Called by `connect`, before there is a dialect.',
  'proxy proxy/initialize': 'For programs that stand between a client and an agent.',
  'proxy proxy/successor': 'For programs that stand between a client and an agent.',
};

/** Methods of earlier drafts that are not in the official schema any more. Some agents still have them. */
const removed: Readonly<Record<DialectName, readonly string[]>> = {
  v1: ['session/set_model'],
  'v2-markers': ['session/load'],
  'v2-baseline': [],
};

describe.each(versions)('the methods of version %i', (version) => {
  const methods = officialMethods(version);

  describe.each(dialects[version].map((dialect) => ({ dialect, name: dialect.name })))(
    'in $name',
    ({ dialect }) => {
      it.each(methods)('$side $method is in a table, or has a written reason', ({ side, method }) => {
        const table = side === 'agent' ? dialect.agentMethods : dialect.clientMethods;
        expect(Object.hasOwn(table, method)).toBe(!Object.hasOwn(excluded, `${side} ${method}`));
      });

      it('are those of the official schema', () => {
        const known = (side: string) =>
          methods
            .filter((each) => each.side === side || each.side === 'protocol')
            .map(({ method }) => method);
        const invented = [
          ...Object.keys(dialect.agentMethods).filter((method) => !known('agent').includes(method)),
          ...Object.keys(dialect.clientMethods).filter((method) => !known('client').includes(method)),
        ];
        expect(invented.filter((method) => !Object.hasOwn(outside, method))).toEqual(removed[dialect.name]);
      });

      it('are requests and notifications as the schema has them', () => {
        const defs = officialDefs(version);
        for (const [method, descriptor] of [
          ...Object.entries(dialect.agentMethods).map((entry) => [...entry, 'agent'] as const),
          ...Object.entries(dialect.clientMethods).map((entry) => [...entry, 'client'] as const),
        ].map(([name, each, side]) => [name, { ...each, side }] as const)) {
          if (removed[dialect.name].includes(method) || Object.hasOwn(outside, method)) continue;
          const hasAnswer = Object.entries(defs).some(
            ([name, def]) =>
              def['x-method'] === method &&
              (def['x-side'] === descriptor.side || def['x-side'] === 'protocol') &&
              name.endsWith('Response'),
          );
          expect({ method, hasAnswer: descriptor.result !== undefined }).toEqual({ method, hasAnswer });
        }
      });

      it('are called by the name under which they are listed', () => {
        for (const each of Object.values(dialect.calls)) {
          if (each) expect(Object.keys(dialect.agentMethods)).toContain(each.descriptor.method);
        }
      });
    },
  );

  it('have no reason that is out of date', () => {
    const names = methods.map(({ side, method }) => `${side} ${method}`);
    if (version === 1) expect(names).toEqual(expect.arrayContaining(Object.keys(excluded)));
    expect(initialize[version].method).toBe('initialize');
  });
});

const suggestions =
  'Newer than the published schemas: https://agentclientprotocol.com/rfds/prompt-suggestions.';

const cursors = 'Newer than the published schemas: https://agentclientprotocol.com/rfds/session-cursors.';

/** Updates that the official schema does not have, with the reason. */
const proposed: Readonly<Record<1 | 2, Readonly<Record<string, string>>>> = {
  1: { prompt_suggestions_update: suggestions, cursor_update: cursors },
  2: {
    prompt_suggestions_update: suggestions,
    cursor_update: cursors,
    replay_complete: 'Newer than the published schemas: it came with the Preview of version 2.',
  },
};

describe.each(versions)('the updates of version %i', (version) => {
  const union = officialDefs(version)['SessionUpdate'];
  const tags = (union?.oneOf ?? union?.anyOf ?? []).flatMap((branch) => {
    const tag = typeof branch === 'object' ? branch.properties?.['sessionUpdate'] : undefined;
    return typeof tag === 'object' && typeof tag.const === 'string' ? [tag.const] : [];
  });

  it('are those of the official schema, and those that have a written reason', () => {
    expect(new Set(Object.keys(updates[version]))).toEqual(
      new Set([...tags, ...Object.keys(proposed[version])]),
    );
    expect(tags.filter((tag) => Object.hasOwn(proposed[version], tag))).toEqual([]);
  });
});

describe.each(versions)('unstable methods of version %i', (version) => {
  it('need an unstable feature', () => {
    const stable = new Set(stableMethods(version));
    for (const { name, agentMethods } of dialects[version]) {
      for (const [method, { requires }] of Object.entries(agentMethods)) {
        const unstable = requires !== undefined && unstableFeatures.has(requires);
        expect({ method, unstable }).toEqual({
          method,
          unstable: !stable.has(method) && !removed[name].includes(method),
        });
      }
    }
  });
});

function stableMethods(version: 1 | 2): readonly string[] {
  return Object.values(officialDefs(version, 'stable')).flatMap((def) => def['x-method'] ?? []);
}
