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
  'tool-calls',
  'transports',
];

const pages: Readonly<Record<1 | 2, readonly string[]>> = {
  1: [...common, 'file-system', 'prompt-turn', 'session-modes', 'terminals'],
  2: [...common, 'migration', 'prompt-lifecycle'],
};

const proposals = ['custom-llm-endpoint', 'get-auth-state', 'mcp-over-acp', 'session-fork'];

/** Files of a version that are no page: what is unstable has none yet, and the rest is the dialect itself. */
const noPages = /^(calls|earlier-draft|features|index|lift|terminal-metadata|update|unstable(-\w+)?)$/;

const site = 'https://agentclientprotocol.com';

/** Where the comment of each descriptor in a file sends its reader, by the method. */
function addressesIn(source: string): readonly (readonly [method: string, address: string | undefined])[] {
  const descriptors = source.matchAll(
    /(?<comment>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?export const \w+ = (?:agent|client)(?:Request|Notification)\(\{\n {2}method: '(?<method>[^']+)'/g,
  );
  return [...descriptors].map(({ groups }) => [
    groups?.['method'] ?? '',
    /@see (\S+)/.exec(groups?.['comment'] ?? '')?.[1],
  ]);
}

describe.each(versions)('version %i', (version) => {
  const addresses = [
    ...pages[version].map((page) => `${site}/protocol/v${version}/${page}`),
    ...pages[version].map((page) => `${site}/protocol/v${version}/draft/${page}`),
    ...proposals.map((proposal) => `${site}/rfds/${proposal}`),
  ];

  const folder = new URL(`../../src/protocol/v${version}/`, import.meta.url);
  const named = readdirSync(folder).flatMap((file) =>
    addressesIn(readFileSync(new URL(file, folder), 'utf8')),
  );

  it('has the address of a page on every method', () => {
    const methods = dialects[version].flatMap(({ agentMethods, clientMethods, calls }) => [
      ...Object.keys(agentMethods),
      ...Object.keys(clientMethods),
      ...Object.values(calls).flatMap((call) => call?.descriptor.method ?? []),
    ]);
    const found = new Set(named.map(([method]) => method));
    expect(found).toEqual(new Set([initialize[version].method, ...methods]));
  });

  it.each(named)('%s names a page of the specification', (method, address) => {
    const removed = method === 'session/load' && version === 2;
    const [page] = address?.split('#') ?? [];
    expect(removed ? [`${site}/protocol/v1/session-setup`] : addresses).toContain(page);
  });

  it('has its files named after the pages', () => {
    const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
    expect(files.filter((file) => !pages[version].includes(file) && !noPages.test(file))).toEqual([]);
  });
});
