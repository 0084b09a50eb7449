import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialects, initialize, versions } from './ours.ts';

/** The pages of the specification, as the protocol's site names them. */
const common = [
  'agent-plan',
  'authentication',
  'cancellation',
  'content',
  'elicitation',
  'error',
  'extensibility',
  'initialization',
  'overview',
  'schema',
  'session-config-options',
  'session-delete',
  'session-list',
  'session-setup',
  'slash-commands',
  'subagents',
  'tool-calls',
  'transports',
];

const pages: Readonly<Record<1 | 2, readonly string[]>> = {
  1: [...common, 'file-system', 'prompt-turn', 'session-modes', 'terminals'],
  2: [...common, 'migration', 'prompt-lifecycle'],
};

const proposals = [
  'session-options',
  'custom-llm-endpoint',
  'get-auth-state',
  'mcp-over-acp',
  'session-fork',
];

/** Files of a version that are no page: what is unstable has none yet, and the rest is the dialect itself. */
const noPages =
  /^(calls|earlier-draft|features|index|messages|normalize|session-inject|session-models|session-options|prompt-suggestions|terminal-metadata|update|unstable(-\w+)?)$/;

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
    'unstable-providers.ts',
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
    expect(found).toEqual(new Set([initialize[version].method, ...described]));
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
