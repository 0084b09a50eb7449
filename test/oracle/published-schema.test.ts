import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { protocolSchema } from '../../src/core/protocol/published-schema.ts';
import { compareSchemas, listOf } from '../schema/compare.mjs';
import { unnamedRows } from '../schema/parts.mjs';
import { placesIn } from '../schema/places.mjs';
import { readSchemas } from '../schema/schemas.mjs';
import { beyond } from './known-parts.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const home = join(dirname(require.resolve(`${protocolSchema.package}/schema/v1/schema.json`)), '../..');
const published = readSchemas(home);
const placeOf = placesIn(root);

test('the constant names the schemas that the tests compare with ours', () => {
  const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  expect(protocolSchema).toEqual({ package: name, v1: version, v2: version, beyond });
});

test('a new part that the list of parts does not name is found', () => {
  const older = without(({ 2: { all } }) => {
    delete all['SessionCapabilities']?.properties?.['fork'];
    delete all['StateUpdate'];
  });
  const rows = compareSchemas(older, published, placeOf);
  expect(rows.map(({ name }) => name).sort()).toEqual(['SessionCapabilities.fork', 'StateUpdate']);
  expect(unnamedRows(rows).map(({ name }) => name)).toEqual(['StateUpdate']);
  expect(unnamedRows([...compareSchemas(published, older, placeOf)])).toEqual([]);
});

test('schemas do not differ from themselves', () => {
  expect(Object.keys(published[1].all).length).toBeGreaterThan(200);
  expect(compareSchemas(published, published, placeOf)).toEqual([]);
});

/** The published schemas without what `remove` takes out. */
function without(remove: (schemas: typeof published) => void) {
  const older = structuredClone(published);
  remove(older);
  return older;
}

const differences: Readonly<
  Record<string, readonly [(schemas: typeof published) => void, readonly string[]]>
> = {
  'a method': [
    ({ 1: { all, stable } }) => {
      for (const defs of [all, stable])
        for (const name of ['ListSessionsRequest', 'ListSessionsResponse']) delete defs[name];
    },
    [
      'version 1  stable    method          session/list  → src/core/protocol/v1/session-list.ts',
      'version 1  stable    definition      ListSessionsResponse  → src/core/protocol/v1/session-list.ts',
      'version 1  stable    definition      ListSessionsRequest  → src/core/protocol/v1/session-list.ts',
    ],
  ],
  'a capability': [
    ({ 2: { all } }) => delete all['SessionCapabilities']?.properties?.['fork'],
    [
      'version 2  unstable  capability      SessionCapabilities.fork  → src/core/protocol/v2/initialization.ts',
    ],
  ],
  'a kind of update': [
    ({ 1: { all, stable } }) => {
      for (const defs of [all, stable]) {
        const update = defs['SessionUpdate'];
        if (update?.oneOf)
          update.oneOf = update.oneOf.filter(
            ({ properties }) => properties?.['sessionUpdate']?.const !== 'plan',
          );
      }
    },
    [
      'version 1  stable    field or value  SessionUpdate.sessionUpdate: "plan"  → src/core/protocol/v1/update.ts',
    ],
  ],
  'what became stable': [
    ({ 2: { stable } }) => delete stable['ToolCallCapabilities'],
    ['version 2  stable    became stable   ToolCallCapabilities  → src/core/protocol/v2/tool-calls.ts'],
  ],
};

test.each(Object.keys(differences))('%s that is new is listed with its place', (name) => {
  const [remove, lines] = differences[name] ?? [];
  if (!remove || !lines) throw new Error(name);
  const rows = compareSchemas(without(remove), published, placeOf);
  expect(listOf(rows).trimEnd().split('\n')).toEqual(lines);
});

test('what is gone is listed as removed', () => {
  const rows = compareSchemas(
    published,
    without(({ 1: { all } }) => delete all['Plan']),
    placeOf,
  );
  expect(rows).toMatchObject([{ version: 1, kind: 'removed', name: 'Plan' }]);
});
