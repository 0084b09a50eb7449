import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { isAlive, programPath } from './node/processes.ts';

const ends: Readonly<Record<string, (worker: ChildProcess) => void>> = {
  'is ended by SIGKILL': (worker) => worker.kill('SIGKILL'),
  'has lost its runner': (worker) => worker.disconnect(),
};

test.skipIf(process.platform === 'win32').each(Object.entries(ends))(
  'a program that a test starts ends with a worker of the tests that %s',
  async (_, end) => {
    const worker = fork(programPath('test-worker.mjs'));
    const [pids] = (await once(worker, 'message')) as [number[]];
    expect(pids.map(isAlive)).toEqual([true, true]);
    end(worker);
    await eventually(() => pids.some(isAlive)).toBe(false);
  },
);
