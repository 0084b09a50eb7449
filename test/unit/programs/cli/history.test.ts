import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../../../src/programs/cli/arguments.ts';
import { search } from '../../../../src/programs/cli/commands/history.ts';
import { Interrupts } from '../../../../src/programs/cli/context.ts';
import { Output } from '../../../../src/programs/cli/print.ts';
import { openTranscripts } from '../../../../src/records/transcripts/open-transcripts.ts';
import { said, storeSession } from '../../../support/recorded-stores.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('Ctrl-C ends a search that finds nothing', async () => {
  const directory = temporaryFolder();
  const transcripts = await openTranscripts({ directory });
  const { session, apply } = storeSession('s1');
  await apply(said('user', 'A question.'));
  transcripts.record(session);
  await transcripts.close();

  const host = Object.create(process) as NodeJS.Process;
  for (const name of ['stdout', 'stderr']) Object.defineProperty(host, name, { value: new PassThrough() });
  const interrupts = new Interrupts(host);
  onTestFinished(() => interrupts.dispose());
  const request = readArguments(['history', 'search', 'zebra', '--directory', directory], directory);
  if (!('run' in request)) throw new Error('It is not a command.');
  const output = new Output(host);
  const searched = search(request.run, { host, output, interrupts, report() {} });
  interrupts.press();
  await expect(searched).rejects.toMatchObject({ message: 'Interrupted.', exitCode: 130 });
  expect(host.stderr.read()).toBeNull();
});
