import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { protocolSchema } from '../../src/core/protocol/published-schema.ts';
import { compareSchemas, type Definition, listOf, placesIn, readSchemas } from '../schema/compare.mjs';
import { unnamedRows } from '../schema/parts.mjs';
import { beyond, dialects, versions } from './ours.ts';
import topics from './topics.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const home = join(dirname(require.resolve(`${protocolSchema.package}/schema/v1/schema.json`)), '../..');
const published = readSchemas(home);
const placeOf = placesIn(root);

test('the constant names the schemas that the tests compare with ours', () => {
  const { name, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  expect(protocolSchema).toEqual({ package: name, v1: version, v2: version, beyond });
});

/** The published schemas without what `remove` takes out. */
function without(remove: (schemas: typeof published) => void) {
  const older = structuredClone(published);
  remove(older);
  return older;
}

test('schemas do not differ from themselves', () => {
  expect(Object.keys(published[1].all).length).toBeGreaterThan(200);
  expect(compareSchemas(published, published, placeOf)).toEqual([]);
});

test('what is new in the schemas is listed with its place, and what the list of parts does not name is found', () => {
  const older = without(({ 1: { all, stable }, 2: inVersion2 }) => {
    for (const defs of [all, stable]) {
      delete defs['ListSessionsRequest'];
      delete defs['ListSessionsResponse'];
      const update = defs['SessionUpdate'];
      const isPlan = (branch: Definition) => branch.properties?.['sessionUpdate']?.const === 'plan';
      if (update?.oneOf) update.oneOf = update.oneOf.filter((branch) => !isPlan(branch));
    }
    delete inVersion2.all['SessionCapabilities']?.properties?.['fork'];
    delete inVersion2.all['StateUpdate'];
    delete inVersion2.stable['ToolCallCapabilities'];
  });
  const rows = compareSchemas(older, published, placeOf);
  expect(listOf(rows)).toMatchInlineSnapshot(`
    "version 1  stable    method          session/list  → src/core/protocol/both/session-list.ts
    version 1  stable    definition      ListSessionsResponse  → src/core/protocol/both/session-list.ts
    version 1  stable    field or value  SessionUpdate.sessionUpdate: "plan"  → src/core/protocol/v1/update.ts
    version 1  stable    definition      ListSessionsRequest  → src/core/protocol/both/session-list.ts
    version 2  stable    became stable   ToolCallCapabilities  → src/core/protocol/v2/tool-calls.ts
    version 2  unstable  capability      SessionCapabilities.fork  → src/core/protocol/v2/initialization.ts
    version 2  stable    definition      StateUpdate  → src/core/protocol/both/state.ts
    "
  `);
  expect(unnamedRows(rows).map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "session/list",
      "ListSessionsResponse",
      "ListSessionsRequest",
      "ToolCallCapabilities",
      "StateUpdate",
    ]
  `);
});

test('what is gone is listed as removed, and needs no name', () => {
  const newer = without(({ 1: { all } }) => delete all['Plan']);
  const rows = compareSchemas(published, newer, placeOf);
  expect(rows).toMatchObject([{ version: 1, kind: 'removed', name: 'Plan' }]);
  expect(unnamedRows([...rows])).toEqual([]);
});

/** The pages of the specification, as the protocol's site names them. */
const { 'of both versions': common, 'of proposals': proposals, ...others } = topics.pages;
const pages: Readonly<Record<1 | 2, readonly string[]>> = {
  1: [...common, ...others['of version 1']],
  2: [...common, ...others['of version 2']],
};

/** Files of a version that are no page: what is unstable has none yet, and the rest is the dialect itself. */
const noPages =
  /^(calls|earlier-draft|features|index|messages|methods|normalize|session-inject|session-models|session-options|terminal-metadata|update|unstable)$/;

const site = 'https://agentclientprotocol.com';

const protocol = new URL('../../src/core/protocol/', import.meta.url);

/** Where the comment of each descriptor in a file sends its reader, by the method. */
function addressesIn(file: string): readonly (readonly [method: string, addresses: readonly string[]])[] {
  const source = readFileSync(new URL(file, protocol), 'utf8');
  const descriptors = source.matchAll(
    /(?<comment>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export const \w+ = (?:agent|client)(?:Request|Notification)\(\{\n {2}method: '(?<method>[^']+)'/g,
  );
  return [...descriptors].map(({ groups }) => [
    groups?.['method'] ?? '',
    [...(groups?.['comment'] ?? '').matchAll(/@see ([^\s#]+)/g)].map(([, address]) => address ?? ''),
  ]);
}

describe.each(versions)('version %i', (version) => {
  const addresses = [
    ...pages[version].map((page) => `${site}/protocol/v${version}/${page}`),
    ...pages[version].map((page) => `${site}/protocol/v${version}/draft/${page}`),
    ...proposals.map((proposal) => `${site}/rfds/${proposal}`),
    'https://github.com/agentclientprotocol/agent-client-protocol/pull/1261',
  ];

  const files = readdirSync(new URL(`v${version}/`, protocol));
  const named = [
    'unstable.ts',
    ...readdirSync(new URL('both/', protocol)).map((file) => `both/${file}`),
    ...files.map((file) => `v${version}/${file}`),
  ].flatMap(addressesIn);

  it('every method has a link to its page', () => {
    const methods = dialects[version].flatMap(({ agentMethods, clientMethods, calls }) => [
      ...Object.keys(agentMethods),
      ...Object.keys(clientMethods),
      ...Object.values(calls).flatMap((call) => call?.descriptor.method ?? []),
    ]);
    const found = new Set(named.map(([method]) => method));
    // The extension is described by a function.
    const described = methods.filter((method) => method !== '_session/steering');
    expect(found).toEqual(new Set(described));
  });

  it.each(named)('%s links to a page of the specification', (method, found) => {
    const removed = method === 'session/load' && version === 2;
    const due = removed ? [`${site}/protocol/v1/session-setup`] : addresses;
    expect(found.filter((address) => due.includes(address))).toHaveLength(1);
  });

  it('files are named after the pages', () => {
    const pagesOf = files.map((file) => file.replace(/\.ts$/, ''));
    expect(pagesOf.filter((name) => !pages[version].includes(name) && !noPages.test(name))).toEqual([]);
  });
});
