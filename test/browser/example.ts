import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createServer, preview } from 'vite';
import { type ExampleHost, startServing } from '../support/example-host.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const example = join(root, 'docs/examples/web');
const configFile = join(example, 'vite.config.ts');

/** The example, served, with a bridge to demo agents whose sessions are its own. */
export interface Example {
  /** The address of the page, the bridge named in it. */
  readonly url: string;
  /** The address of the bridge. */
  readonly bridge: string;
  stopBridge(): Promise<void>;
  /** Starts the bridge again, at the same address. */
  startBridge(): Promise<void>;
  stop(): Promise<void>;
}

/** Builds the web example in a folder. Resolves to the folder of its files. */
export async function buildWebExample(folder: string): Promise<string> {
  const outDir = join(folder, 'site');
  // In a process of its own: NODE_ENV, which says here that this is a test, says whose build it is.
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', example, '--outDir', outDir, '--emptyOutDir'], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return outDir;
}

/** Serves the built web example. */
export async function serveBuilt(outDir: string): Promise<Site> {
  const server = await preview({ configFile, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } });
  return { url: server.resolvedUrls?.local[0], close: () => server.close() };
}

export const ways: Readonly<Record<'built' | 'developed', (folder: string) => Promise<Site>>> = {
  built: async (folder) => serveBuilt(await buildWebExample(folder)),
  async developed(folder) {
    const server = await createServer({
      configFile,
      logLevel: 'warn',
      cacheDir: join(folder, 'cache'),
      server: { port: 0 },
    });
    await server.listen();
    return { url: server.resolvedUrls?.local[0], close: () => server.close() };
  },
};

interface Site {
  readonly url: string | undefined;
  close(): Promise<void>;
}

/** @param dialect - How the agent speaks; as the page asks it to, if it is not said. */
export async function startExample(way: keyof typeof ways, dialect?: string): Promise<Example> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-example-'));
  const demoAgent = join(root, 'dist/demo-agent.js');
  const agentCommand = [
    process.execPath,
    demoAgent,
    ...['--state', join(folder, 'sessions')],
    ...(dialect === undefined ? [] : ['--dialect', dialect]),
  ];
  let bridge: ExampleHost | undefined;
  const startBridge = async (port: string) => {
    bridge = await startServing([join(example, 'bridge.mjs'), ...agentCommand], {
      env: { ...process.env, PORT: port },
    });
    return bridge.url;
  };
  const stopBridge = async () => bridge?.stop();
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const address = await startBridge('0');
    const site = await ways[way](folder);
    return {
      url: `${site.url}?bridge=${address}`,
      bridge: address,
      stopBridge,
      startBridge: async () => void (await startBridge(new URL(address).port)),
      async stop() {
        await site.close();
        await stopBridge();
        await removeFolder();
      },
    };
  } catch (error) {
    await stopBridge();
    await removeFolder();
    throw error;
  }
}
