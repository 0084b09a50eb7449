import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { buildDemoAgent, bundledOnce } from './build.ts';
import { endProgram, spawn } from './spawn.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Marks the processes that a server has started. They inherit it. */
const mark = 'ACP_SERVE_EXAMPLE';

/** The token of the servers, in the header that clients send. */
export const authorized: Readonly<Record<string, string>> = { Authorization: 'Bearer secret of the test' };

/** A running server of `docs/examples/serve`. */
export interface ServeExample {
  /** Such as `http://127.0.0.1:1234/acp`. */
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** What the server has written to stderr. */
  complaints(): string;
  /** The processes that the server has started and that still run. */
  children(): Promise<readonly number[]>;
}

/** What differs from one server to another. */
export interface ServeExampleOptions {
  /** The command of the agent. Default: the demo agent. */
  readonly agent?: readonly string[] | undefined;
  /** More variables of the environment, such as `MAX_CONNECTIONS`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Starts the server of `docs/examples/serve` from the sources. The end of the test ends it. */
export async function startServeExample({ agent, env }: ServeExampleOptions = {}): Promise<ServeExample> {
  const id = crypto.randomUUID();
  const args = [await buildServer(), ...(agent ?? [process.execPath, await buildDemoAgent()])];
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ACP_TOKEN: authorized['Authorization']?.slice(7), PORT: '0', ...env, [mark]: id },
  });
  onTestFinished(() => endProgram(server));
  let complaints = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    once(server, 'exit').then(() => {
      throw new Error(`The server did not start: ${complaints}`);
    }),
  ]);
  const url = String(line);
  return {
    url,
    port: Number(new URL(url).port),
    process: server,
    complaints: () => complaints,
    children: async () => (await marked(id)).filter((pid) => pid !== server.pid),
  };
}

/** The processes with a value of the mark. Known on Linux only. */
async function marked(id: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const own = await Promise.all(
    pids.map(async (pid) => {
      // A zombie has none, and a process may have ended.
      const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return variables.split('\0').includes(`${mark}=${id}`);
    }),
  );
  return pids.filter((_pid, index) => own[index]);
}

/** Bundles the example with the sources of this package. */
const buildServer = () =>
  bundledOnce('serve-example', {
    entryPoints: [`${root}docs/examples/serve/serve.mjs`],
    alias: { 'acp-client-sdk/node': `${root}src/entries/node.ts` },
    packages: 'external',
  });
