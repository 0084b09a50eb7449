import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { markName } from '../../../src/node/process/process-mark.ts';
import { markedProcessTable } from '../../../src/node/process/process-table.ts';
import { spawn } from '../../support/spawn.mjs';

/** Executes itself again and again. */
const restless = 'echo; exec sh -c "$0" "$0"';

test.runIf(process.platform === 'linux')(
  '[reliability: crash-leftovers] a process that executes another program at the moment has its mark',
  async () => {
    const env = { ...process.env, [markName]: 'm' };
    const child = spawn('sh', ['-c', restless, restless], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.resume();
    await once(child.stdout, 'data');
    const marks = new Set<string | undefined>();
    for (let count = 0; count < 40; count++) {
      const table = await markedProcessTable();
      marks.add(table.find(({ pid }) => pid === child.pid)?.mark);
    }
    expect([...marks]).toEqual(['m']);
  },
);
