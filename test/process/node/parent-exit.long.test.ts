import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { processTable } from '../../../src/node/process/process-table.ts';
import { bundleProgram } from '../../support/build.ts';
import { spawn } from '../../support/spawn.mjs';
import { sharedFolder } from '../../support/temporary-folder.ts';
import { isAlive, programArgs, programPath, until } from './processes.ts';

const folder = sharedFolder();
const editorPath = join(folder, 'editor.mjs');
beforeAll(async () => {
  await bundleProgram({
    entryPoints: [programPath('editor.mjs')],
    outfile: editorPath,
    // Loads faster: each test starts it.
    minifyWhitespace: true,
  });
});

let editor: ChildProcess | undefined;
let pids: readonly number[] = [];
afterEach(() => {
  editor?.kill('SIGKILL');
  // Empty unless the test failed.
  for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
});

interface StartedEditor {
  readonly editor: ChildProcess;
  /** Process ids of its agents, its terminal, and their children. */
  readonly pids: readonly number[];
  readonly nextLine: () => Promise<string>;
  readonly end: Promise<{ exitCode: number | null; signal: string | null }>;
}

/** Starts an editor with programs that have one child each. All of them end only by SIGKILL. */
async function startEditor(
  scenario: string,
  program: readonly [string, ...string[]] = ['parent'],
  count = 6,
): Promise<StartedEditor> {
  const started = spawn(process.execPath, [editorPath, scenario, ...programArgs(...program)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  editor = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const end = once(started, 'exit').then(([exitCode, signal]) => ({ exitCode, signal }));
  pids = JSON.parse(await nextLine());
  expect(pids).toHaveLength(count);
  return { editor: started, pids, nextLine, end };
}

/** The process that ends the others if the editor is killed. */
async function watchdogOf({ editor, pids }: StartedEditor): Promise<number | undefined> {
  const table = await processTable();
  return table.find(({ pid, parent }) => parent === editor.pid && !pids.includes(pid))?.pid;
}

async function expectNoneAlive(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive));
}

const exited = (exitCode: number) => ({ exitCode, signal: null });
const endedBy = (signal: NodeJS.Signals) => ({ exitCode: null, signal });

/** Ends an editor, with a signal or as its scenario does. All that it started then ends too. */
async function expectEnd(
  starting: StartedEditor | Promise<StartedEditor>,
  expected: Awaited<StartedEditor['end']>,
  signal?: NodeJS.Signals,
): Promise<void> {
  const { editor, pids, end } = await starting;
  if (signal) editor.kill(signal);
  expect(await end).toEqual(expected);
  await expectNoneAlive(pids);
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
  '[reliability: editor-signals] %s ends the editor with that signal, and all that it started',
  async (signal) => {
    const started = await startEditor('waits');
    expect(started.pids.filter(isAlive)).toEqual([...started.pids]);
    await expectEnd(started, endedBy(signal), signal);
  },
);

test('[security: parent-exit] an editor that exits takes all it started with it', () =>
  expectEnd(startEditor('exits'), exited(5)));

test('an editor that ends by an exception takes all it started with it', () =>
  expectEnd(startEditor('throws'), exited(1)));

describe.skipIf(process.platform === 'win32')('commands in their own session', () => {
  const start = (scenario: string) => startEditor(scenario, ['detached', 'stubborn']);

  test('[reliability: other-groups] end with an editor that a signal ends', () =>
    expectEnd(start('waits'), endedBy('SIGTERM'), 'SIGTERM'));

  test.each([
    ['exits', 5],
    ['throws', 1],
  ])('[reliability: other-groups] end with an editor that %s', (scenario, code) =>
    expectEnd(start(scenario), exited(code)),
  );

  test('[reliability: editor-killed] end with an editor that is ended by SIGKILL, and so do their agents', () =>
    expectEnd(start('waits'), endedBy('SIGKILL'), 'SIGKILL'));

  test.runIf(process.platform === 'linux')(
    '[reliability: editor-killed] end with an editor that is ended by SIGKILL, whatever their names are',
    () => expectEnd(startEditor('waits', ['renamed'], 33), endedBy('SIGKILL'), 'SIGKILL'),
  );

  test.runIf(process.platform === 'linux')(
    'go on after the editor has exited if they are daemons',
    async () => {
      const started = await startEditor('waits', ['scattered', 'stubborn'], 12);
      const { editor, pids, end } = started;
      const daemons = [2, 6, 10].map((index) => pids[index]!);
      const watchdog = await watchdogOf(started);
      editor.kill('SIGTERM');
      await end;
      await until(() => !isAlive(watchdog!));
      await until(() => pids.filter(isAlive).length <= daemons.length);
      expect(pids.filter(isAlive)).toEqual(daemons);
      for (const daemon of daemons) process.kill(daemon, 'SIGKILL');
      await expectNoneAlive(pids);
    },
  );

  test.runIf(process.platform === 'linux')(
    '[reliability: editor-killed] end with an editor that is ended by SIGKILL together with its agents',
    async () => {
      const started = await startEditor('waits', ['scattered', 'stubborn'], 12);
      started.editor.kill('SIGSTOP');
      for (const agent of [0, 4]) process.kill(started.pids[agent]!, 'SIGKILL');
      await expectEnd(started, endedBy('SIGKILL'), 'SIGKILL');
    },
  );

  test.runIf(process.platform === 'linux')(
    '[reliability: editor-killed] end with an editor that is ended by SIGKILL after its watchdog was killed five times',
    async () => {
      const started = await start('waits');
      for (let time = 0; time < 5; time++) {
        const killed = await watchdogOf(started);
        process.kill(killed!, 'SIGKILL');
        await until(async () => ![killed, undefined].includes(await watchdogOf(started)));
      }
      await expectEnd(started, endedBy('SIGKILL'), 'SIGKILL');
    },
  );

  test.each(['removes all listeners', 'skips its listeners'])(
    '[reliability: editor-killed] end with an editor that exits and %s',
    (scenario) => expectEnd(start(scenario), exited(5)),
  );

  test('[reliability: editor-killed] end with a worker thread of the editor that is terminated', async () => {
    await expectNoneAlive((await start('terminates its worker')).pids);
  });

  test('[reliability: editor-killed] end with an editor that aborts, and so do their agents', () =>
    expectEnd(start('aborts'), endedBy('SIGABRT')));
});

test('an editor that listens to a signal decides itself, also with a listener for one time', async () => {
  const started = await startEditor('listens');
  const { editor, pids, nextLine } = started;
  editor.kill('SIGTERM');
  expect(await nextLine()).toBe('first');
  expect(pids.filter(isAlive)).toEqual([...pids]);
  await expectEnd(started, exited(6), 'SIGUSR2');
});

test('another copy of signal-exit does not count as a listener of the editor', () =>
  expectEnd(startEditor('has another copy'), endedBy('SIGTERM'), 'SIGTERM'));

test('an editor ends all it started on exit, after another copy of signal-exit removed its hooks', () =>
  expectEnd(startEditor('removes another copy'), exited(5)));
