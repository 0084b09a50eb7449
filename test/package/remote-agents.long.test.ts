import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authorized, startServeExample } from '../support/serve-example.ts';
import { endProgram, spawn } from '../support/spawn.mjs';
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

const run = promisify(execFile);

/** The instructions of a container file, by name. */
function instructionsOf(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return [name, rest.join(' ')];
    }),
  );
}

// There is no Docker where the tests run.
test('the steps of the container file of docs/examples/serve lead to a server that answers', async () => {
  const consumer = await installPackage();
  onTestFinished(() => consumer.remove());
  const example = join(consumer.folder, 'node_modules/acp-client-sdk/docs/examples/serve');
  const steps = instructionsOf(await readFile(join(example, 'Containerfile'), 'utf8'));
  expect(Object.keys(steps).sort()).toEqual(
    ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'ENTRYPOINT'].sort(),
  );

  const copied = (steps['COPY'] ?? '').split(' ').slice(0, -1);
  for (const name of copied) {
    await writeFile(join(consumer.folder, name), await readFile(join(example, name)));
  }
  // What RUN would install is here already, in the versions that the example names.
  expect(steps['RUN']).toMatch(/^npm install /);
  const { engines } = JSON.parse(await readFile(join(example, '../../../package.json'), 'utf8'));
  expect(Number(/node:(\d+)/.exec(steps['FROM'] ?? '')?.[1])).toBeGreaterThanOrEqual(
    Number(/\d+/.exec(engines.node)?.[0]),
  );
  await consumer.install('@agentclientprotocol/sdk');
  await consumer.install('ws');
  const { dependencies } = JSON.parse(await readFile(join(consumer.folder, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(dependencies)) {
    const installed = JSON.parse(
      await readFile(join(consumer.folder, 'node_modules', name, 'package.json'), 'utf8'),
    );
    expect(`${name} ${installed.version}`).toBe(`${name} ${version}`);
  }

  const env = Object.fromEntries((steps['ENV'] ?? '').split(' ').map((pair) => pair.split('=')));
  expect(env).toEqual({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  const [program, path = ''] = JSON.parse(steps['ENTRYPOINT'] ?? '[]');
  expect(program).toBe('node');
  const script = path.replace(steps['WORKDIR'] ?? '', consumer.folder);
  // Without a token it does not start.
  await expect(run(process.execPath, [script], { env: { ...process.env, ...env } })).rejects.toThrow(
    'ACP_TOKEN',
  );
  const server = spawn(process.execPath, [script], {
    cwd: consumer.folder,
    // Reachable from this machine alone, and on a port that is free.
    env: { ...process.env, ...env, HOST: '127.0.0.1', PORT: '0', ACP_TOKEN: 'secret of the test' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => endProgram(server));
  const [url] = await once(createInterface({ input: server.stdout }), 'line');
  await consumer.write({
    'client.mjs': `import { connect, remoteTransport } from 'acp-client-sdk';
const headers = { Authorization: 'Bearer secret of the test' };
const connection = await connect(() => remoteTransport(process.argv[2], { headers, WebSocket: false }), {
  clientInfo: { name: 'my-editor', version: '1.0.0' },
});
const session = await connection.newSession({ cwd: process.cwd() });
console.log((await session.prompt('Hello')).stopReason);
await connection.close();
`,
  });
  expect(await consumer.node('client.mjs', String(url))).toBe('end_turn\n');
  // As the runtime of containers ends it.
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});
