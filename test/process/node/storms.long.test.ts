import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { spawnAgent } from '../../../src/agents/spawn-agent.ts';
import { nodeFileSystem } from '../../../src/node/files/file-system.ts';
import { nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { letTimePass } from '../../support/time.ts';
import { programPath, survivors } from './processes.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acp-storm-'));
});
afterEach(async () => {
  expect(await survivors()).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

/** The files that this process has open in a folder. Only Linux lists them. */
async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}

/** The files in a folder that this process has open at any time of half a second. A read keeps its file open. */
async function filesReadIn(folder: string): Promise<string[]> {
  const seen = new Set<string>();
  for (let sample = 0; sample < 20; sample++) {
    for (const path of await openFilesIn(folder)) seen.add(path);
    await letTimePass(25);
  }
  return [...seen];
}

/** Far above what `close` takes, which the docs give, and far below what it took without limits on a busy machine. */
const hangMs = 10_000;

test.each(['permissions', 'withdrawn permissions', 'reads', 'withdrawn reads', 'terminals', 'notifications'])(
  '[reliability: storms] close() ends the connection in a storm of %s',
  async (kind) => {
    const agent = spawnAgent({
      command: process.execPath,
      args: [programPath('storm.mjs'), kind],
      cwd: folder,
    });
    let permissions = 0;
    const connection = await connect(agent, {
      clientInfo: { name: 'test', version: '0' },
      onDiagnostic() {},
      handlers: {
        ...nodeFileSystem({ roots: [folder], maxScanBytes: Number.MAX_SAFE_INTEGER }),
        terminals: nodeTerminals({ cwd: folder }),
        requestPermission: () => {
          permissions++;
          return new Promise(() => {});
        },
      },
    });
    const session = await connection.newSession({ cwd: folder });
    const turn = session.prompt('Begin.').catch((error: unknown) => error);
    await new Promise<void>((resolve) => {
      const stop = session.store.subscribe(() => {
        stop();
        resolve();
      });
    });
    await letTimePass(500);
    const closedAt = performance.now();
    await connection.close();
    const closeMs = performance.now() - closedAt;
    if (process.env['STORM_TIMES']) process.stderr.write(`${kind}: ${closeMs.toFixed(0)} ms\n`);
    expect(closeMs).toBeLessThan(hangMs);
    expect(await turn).toMatchObject({ code: 'connection.closed' });
    expect(permissions).toBeLessThanOrEqual(1000);
    await agent.reaped;
    expect(await filesReadIn(folder)).toEqual([]);
  },
);
