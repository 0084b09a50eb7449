import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = join(import.meta.dirname, 'programs/recorder.mjs');
/** Each is recorded by two processes at the same time. */
const sessions = 500;
const names = ['one', 'other'];

/** Starts a process that records all sessions. */
function recorder(directory: string, name: string): ChildProcess {
  const started = spawn(process.execPath, [program, directory, name, String(sessions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  return started;
}

test('two processes that record the same sessions and are killed lose nothing', async () => {
  const directory = temporaryFolder();
  const recorders = names.map((name) => recorder(directory, name));
  await Promise.all(recorders.map(({ stdout }) => stdout && once(stdout, 'data')));
  await Promise.all(
    recorders.map(async (started) => {
      started.kill('SIGKILL');
      await once(started, 'exit');
    }),
  );
  const transcripts = await openTranscripts({ directory });
  onTestFinished(() => transcripts.close());
  const expected = names.flatMap((name) => [0, 1, 2].map((batch) => `${name}-${batch}`)).sort();
  const wrong: string[] = [];
  for (let index = 0; index < sessions; index++) {
    const { entries } = await transcripts.read(`s${index}`);
    const found = entries.map((entry) => (entry.kind === 'message' ? entry.messageId : null)).sort();
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push(`s${index}: ${found}`);
  }
  expect(wrong).toEqual([]);

  // The next recording takes over what the killed processes have left.
  const { session, apply } = storeSession('s0');
  await apply(said('agent', 'Next.', 'next'));
  await transcripts.record(session)();
  expect(readdirSync(directory).filter((name) => name.startsWith('s0-'))).toHaveLength(1);
  expect((await transcripts.read('s0')).entries).toHaveLength(expected.length + 1);
});
