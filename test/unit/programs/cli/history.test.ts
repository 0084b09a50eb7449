import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readArguments } from '../../../../src/programs/cli/arguments.ts';
import { search } from '../../../../src/programs/cli/commands/history.ts';
import { Interrupts } from '../../../../src/programs/cli/context.ts';
import { Output } from '../../../../src/programs/cli/print.ts';
import { openTranscripts } from '../../../../src/records/transcripts/open-transcripts.ts';
import { said, storeSession } from '../../../support/recorded-stores.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a search that finds nothing says what it does, and Ctrl-C ends it', async () => {
  const directory = temporaryFolder();
  const transcripts = await openTranscripts({ directory });
  const { session, apply } = storeSession('s1');
  await apply(said('user', 'A question.'));
  transcripts.record(session);
  await transcripts.close();

  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const host = Object.create(process) as NodeJS.Process;
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  for (const [name, value] of Object.entries({ stdout: new PassThrough(), stderr, env: {} })) {
    Object.defineProperty(host, name, { value });
  }
  const interrupts = new Interrupts(host);
  onTestFinished(() => interrupts.dispose());
  const request = readArguments(['history', 'search', 'zebra', '--directory', directory], directory);
  if (!('run' in request)) throw new Error('It is not a command.');
  const output = new Output(host);
  const searched = search(request.run, { host, output, interrupts, report() {} });
  vi.advanceTimersByTime(1000);
  expect(`${stderr.read()}`).toContain('Searching the transcripts · Ctrl-C exits · 1 s');
  interrupts.press();
  await expect(searched).rejects.toMatchObject({ message: 'Interrupted.', exitCode: 130 });
  expect(`${stderr.read()}`).toBe('\r\x1b[K');
});
