import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isAlive, programPath, until } from './processes.ts';

let folder = '';
let editorPath = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acp-editor-'));
  editorPath = join(folder, 'editor.mjs');
  await build({
    entryPoints: [programPath('editor.mjs')],
    outfile: editorPath,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // The dependencies are CommonJS, and ask for Node's own modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true }));

let editor: ChildProcess | undefined;
let pids: readonly number[] = [];
afterEach(() => {
  editor?.kill('SIGKILL');
  // None, unless the test has failed.
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
});

interface StartedEditor {
  readonly editor: ChildProcess;
  /** Its agents, its terminal, and what they started. */
  readonly pids: readonly number[];
  readonly nextLine: () => Promise<string>;
  readonly end: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** Starts an editor with programs that have a child each, and none of which ends unless it is killed. */
async function startEditor(scenario: string): Promise<StartedEditor> {
  const started = spawn(process.execPath, [editorPath, scenario, programPath('parent.mjs')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  editor = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const end = once(started, 'exit').then(([exitCode, signal]) => ({ exitCode, signal }));
  pids = JSON.parse(await nextLine());
  expect(pids).toHaveLength(6);
  return { editor: started, pids, nextLine, end };
}

async function expectNoneAlive(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive));
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends the editor as ever, and all it started',
  async (signal) => {
    const { editor, pids, end } = await startEditor('waits');
    expect(pids.filter(isAlive)).toEqual([...pids]);
    editor.kill(signal);
    expect(await end).toEqual({ exitCode: null, signal });
    await expectNoneAlive(pids);
  },
);

test('an editor that exits takes all it started with it', async () => {
  const { pids, end } = await startEditor('exits');
  expect(await end).toEqual({ exitCode: 5, signal: null });
  await expectNoneAlive(pids);
});

test('an editor that ends by an exception takes all it started with it', async () => {
  const { pids, end } = await startEditor('throws');
  expect(await end).toEqual({ exitCode: 1, signal: null });
  await expectNoneAlive(pids);
});

test('an editor that listens to the signal decides itself, listeners for one time included', async () => {
  const { editor, pids, nextLine, end } = await startEditor('listens');
  editor.kill('SIGTERM');
  expect(await nextLine()).toBe('first');
  expect(pids.filter(isAlive)).toEqual([...pids]);
  editor.kill('SIGUSR2');
  expect(await end).toEqual({ exitCode: 6, signal: null });
  await expectNoneAlive(pids);
});

test('a package that cleans up and passes the signal on is not taken for the editor', async () => {
  const { editor, pids, end } = await startEditor('cleans');
  editor.kill('SIGTERM');
  expect(await end).toEqual({ exitCode: null, signal: 'SIGTERM' });
  await expectNoneAlive(pids);
});
