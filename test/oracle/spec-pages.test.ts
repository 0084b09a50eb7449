import { readdirSync } from 'node:fs';
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

describe.each(versions)('version %i', (version) => {
  const addresses = [
    ...pages[version].map((page) => `${site}/protocol/v${version}/${page}`),
    ...pages[version].map((page) => `${site}/protocol/v${version}/draft/${page}`),
    ...proposals.map((proposal) => `${site}/rfds/${proposal}`),
  ];

  const descriptors = dialects[version].flatMap(({ agentMethods, clientMethods, calls }) => [
    ...Object.values(agentMethods),
    ...Object.values(clientMethods),
    ...Object.values(calls).flatMap((call) => call?.descriptor ?? []),
  ]);

  it.each([initialize[version], ...descriptors])(
    '$method names a page of the specification',
    ({ spec, method }) => {
      const [address] = spec.split('#');
      const removed = method === 'session/load' && version === 2;
      expect(removed ? [`${site}/protocol/v1/session-setup`] : addresses).toContain(address);
    },
  );

  it('has its files named after the pages', () => {
    const files = readdirSync(new URL(`../../src/protocol/v${version}/`, import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    expect(files.filter((file) => !pages[version].includes(file) && !noPages.test(file))).toEqual([]);
  });
});
