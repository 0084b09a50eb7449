import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authorized, startServeExample } from '../support/serve-example.ts';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

/** The packages that only a remote agent needs. */
const packages = ['eventsource-parser', 'set-cookie-parser'];

/** The entry that needs a package which a program installs itself. */
const needsMarkdownIt = 'acp-client-sdk/markdown';

/** Connects to the agent at a URL, and prints its name and how it is reached. */
const program = `
  async function main({ connect, remoteTransport }) {
    const [, , url, headers] = process.argv;
    const clientInfo = { name: 'program', version: '1.0.0' };
    const chosen = [];
    const onDiagnostic = ({ rule, message }) => rule === 'transport.chosen' && chosen.push(message);
    const transport = remoteTransport(url, { headers: JSON.parse(headers) });
    const connection = await connect(transport, { clientInfo, onDiagnostic });
    console.log(JSON.stringify([connection.agentInfo.name, ...chosen]));
    await connection.close();
  }
`;
const imported = `import * as sdk from 'acp-client-sdk'; ${program} await main(sdk);`;
const required = `${program} main(require('acp-client-sdk'));`;

/** Options of Node with which it has a WebSocket of its own, or has none. */
const platform = {
  'a WebSocket': Number.parseInt(process.versions.node, 10) < 22 ? ['--experimental-websocket'] : [],
  'streamable HTTP': ['--no-experimental-websocket'],
} as const;

/** The diagnostic that says how the agent is reached. */
const reached = (url: string, way: keyof typeof platform) => {
  const start = `The agent at ${url} is reached over ${way}`;
  if (way === 'a WebSocket') return `${start}.`;
  const why = 'This version of Node has no WebSocket. Install the package ws, or use Node 22 or later.';
  return `${start}: a WebSocket could not be opened. ${why}`;
};

describe('a program', () => {
  let bare: Consumer;
  let whole: Consumer;
  beforeAll(async () => {
    [bare, whole] = await Promise.all([installPackage(), installPackage()]);
    for (const name of packages) await rm(join(bare.folder, 'node_modules', name));
  });
  afterAll(() => Promise.all([bare?.remove(), whole?.remove()]));

  test.each([
    ['mjs', 'await import'],
    ['cjs', 'require'],
  ])('that imports the entries loads no package for remote agents (.%s)', async (extension, load) => {
    const names = Object.keys(entries).filter((name) => name !== needsMarkdownIt);
    const loads = names.map((entry) => `${load}(${JSON.stringify(entry)});`);
    await bare.write({ [`load.${extension}`]: `(async () => { ${loads.join('\n')} })();` });
    expect(await bare.node(`load.${extension}`)).toBe('');
  });

  test.each([
    ['a WebSocket', 'cjs', required],
    ['streamable HTTP', 'mjs', imported],
  ] as const)('reaches an agent without the package ws, over %s (.%s)', async (way, extension, content) => {
    const { url } = await startServeExample();
    await whole.write({ [`remote.${extension}`]: content });
    const printed = await whole.node(
      ...platform[way],
      `remote.${extension}`,
      url,
      JSON.stringify(authorized),
    );
    expect(JSON.parse(printed)).toEqual(['acp-demo-agent', reached(url, way)]);
  });

  test('can be bundled without the package ws, and reaches an agent', async () => {
    const { url } = await startServeExample();
    await whole.write({ 'entry.mjs': imported });
    const outfile = join(whole.folder, 'bundled/program.mjs');
    await build({
      entryPoints: [join(whole.folder, 'entry.mjs')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
    });
    for (const name of packages) await rm(join(whole.folder, 'node_modules', name));
    const printed = await whole.node(
      ...platform['streamable HTTP'],
      outfile,
      url,
      JSON.stringify(authorized),
    );
    expect(JSON.parse(printed)).toEqual(['acp-demo-agent', reached(url, 'streamable HTTP')]);
  });
});
