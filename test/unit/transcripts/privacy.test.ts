import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { all, openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function saved(transcripts: Transcripts, id: string, text = 'Hello.'): Promise<void> {
  const { session, apply } = storeSession(id);
  await apply(said('user', text));
  await transcripts.record(session)();
}

const contentOf = (directory: string) =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'latin1'))
    .join('\n');

describe('what was sent as a secret', () => {
  const secret = 'sk-live-0123456789abcdef';
  const env = [{ name: 'TOKEN', value: secret }];
  const mcpServers = [{ name: 'files', command: '/usr/bin/files', args: [], env }];

  test.each([
    ['a short conversation, whose record is written again for its length', 'Hello.'],
    ['a long conversation, whose record only grows', 'Some words of a long answer. '.repeat(300)],
  ])(
    'is in no file when it arrives in several batches of %s, and what follows is recorded',
    async (_, first) => {
      const directory = temporaryFolder();
      const transcripts = await openIn(directory);
      const { connection, agent } = await connectTo(everything.v1, {
        answers: { 'session/new': { sessionId: 's1' } },
      });
      const session = await connection.newSession({ cwd, mcpServers });
      agent.update('s1', said('user', first));
      await eventually(() => session.conversation.entries.length).toBe(1);
      const stop = transcripts.record(session);
      for (const [text, written] of [
        ['It is sk-live-01234', 'sk-live-01234'],
        ['56789abcdef, you know', '[redacted], you know'],
        [', and so on', '[redacted], you know, and so on'],
      ] as const) {
        agent.update('s1', said('agent', text));
        await eventually(async () => JSON.stringify(await transcripts.read('s1').catch(() => ''))).toContain(
          written,
        );
        // Also while the recording goes on.
        expect(contentOf(directory)).not.toContain('56789abcdef');
        // The beginning of a secret is one when the rest is known.
        expect(contentOf(directory).includes('sk-live-01234')).toBe(written === 'sk-live-01234');
      }
      await stop();
      expect(contentOf(directory)).toContain('It is [redacted], you know, and so on');
      expect(contentOf(directory)).not.toContain('sk-live-01234');
    },
  );
});

test('a transcript of a newer version is listed, is not read, and is not changed by a recording or by prune', async () => {
  const directory = temporaryFolder();
  const transcripts = await openIn(directory);
  await saved(transcripts, 's1');
  const [name = ''] = readdirSync(directory);
  const path = join(directory, name);
  const text = readFileSync(path, 'utf8').replace('"version":2', '"version":99');
  writeFileSync(path, text);
  const newer = { id: 's1', isNewer: true, title: 'Hello.' };
  expect(await all(transcripts.list())).toMatchObject([newer]);
  await expect(transcripts.read('s1')).rejects.toThrow(
    'The transcript "s1" has version 99 of the format, which this version of acp-client-sdk cannot read. Nothing was changed. Update acp-client-sdk.',
  );
  await saved(transcripts, 's1', 'Again.');
  expect(await transcripts.prune({ keep: 0 })).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(await all(transcripts.list())).toMatchObject([{ id: 's1', isNewer: true }]);
});

test.each([{}, { olderThan: undefined, keep: undefined }])(
  'prune with %o removes nothing, and says so',
  async (options) => {
    const transcripts = await openIn(temporaryFolder());
    for (const id of ['s1', 's2', 's3']) await saved(transcripts, id);
    const [, ...others] = await all(transcripts.list());
    await expect(transcripts.prune(options)).rejects.toThrow(
      'prune: options must have olderThan, maxBytes or keep. Nothing was removed.',
    );
    expect(await all(transcripts.list())).toHaveLength(3);
    // With a number it does.
    expect(await transcripts.prune({ keep: 1 })).toEqual(others.map(({ id }) => id));
    expect(await all(transcripts.list())).toHaveLength(1);
  },
);

test.each<[string, (transcripts: Transcripts) => Promise<unknown>]>([
  ['remove', (transcripts) => transcripts.remove('s1')],
  ['prune', (transcripts) => transcripts.prune({ keep: 0 })],
])('a transcript that cannot be removed stays, and the error of %s says what to do', async (_, act) => {
  const directory = temporaryFolder();
  const refused = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  const storage = await directoryStorage(directory, {
    ...recordFiles,
    remove: () => Promise.reject(refused),
  });
  const transcripts = await openTranscripts({ storage });
  await saved(transcripts, 's1');
  await expect(act(transcripts)).rejects.toMatchObject({
    name: 'TranscriptError',
    code: 'transcript.directory',
    message: expect.stringMatching(/"s1" was not removed, or not completely: EROFS.* remove it again\.$/),
    cause: refused,
  });
  expect(await all(transcripts.list())).toMatchObject([{ id: 's1' }]);
  await transcripts.close();
});

test.each([
  ['markdown', 'Hello.'],
  ['text', 'Hello.'],
  ['html', '<!doctype html>'],
  ['json', '"format": "acp-client-sdk/conversation"'],
] as const)('a transcript is exported as %s', async (format, expected) => {
  const transcripts = await openIn(temporaryFolder());
  await saved(transcripts, 's1');
  expect(await transcripts.export('s1', { format })).toContain(expected);
});
