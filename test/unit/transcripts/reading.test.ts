import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { readTranscriptFile } from '../../../src/records/transcripts/transcript-file.ts';
import { playBit, recordedPair } from '../../faults/transcripts/bits.ts';
import { outline } from '../../support/open-session.ts';
import { all, openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/transcripts');

test('a transcript of version 1, whose last line was cut off, is listed, read and searched, and its file is read alone', async () => {
  expect(readdirSync(fixtures)).toHaveLength(1);
  const directory = temporaryFolder();
  cpSync(fixtures, directory, { recursive: true });
  const transcripts = await openIn(directory);
  const found = await all(transcripts.list());
  expect(found).toMatchObject([{ id: 'session-1', cwd: '/home/user/project', isNewer: false }]);
  const [user = '', ...others] = outline(await transcripts.read('session-1'));
  expect(user).toMatch(/^user: Is 1900 a leap year\?/);
  expect(others).toContain('call-1: completed');
  const hits = await all(transcripts.search('leap year'));
  expect(hits).toMatchObject([{ entryKey: 'user:m1' }, { entryKey: 'tool:call-1' }]);

  const name = readdirSync(fixtures)[0] ?? '';
  const text = readFileSync(join(fixtures, name), 'utf8');
  const { bytes, isNewer, ...info } = found[0] ?? {};
  const conversation = await transcripts.read('session-1');
  expect(readTranscriptFile(text, name)).toEqual({ ...info, conversation, isDamaged: false });
  expect(readTranscriptFile('{"dir":"in"}', name)).toBeUndefined();
  const newer = text.replace('"version":1', '"version":3');
  expect(() => readTranscriptFile(newer, name)).toThrow(
    `${JSON.stringify(name)} has version 3 of the format`,
  );
});

describe('a directory with a damaged transcript', () => {
  async function mixed() {
    const directory = temporaryFolder();
    const told: string[] = [];
    const transcripts = await openTranscripts({
      directory,
      onDiagnostic: ({ rule, message }) => told.push(`${rule}: ${message}`),
    });
    onTestFinished(() => transcripts.close());
    for (const id of ['s1', 's2', 's3']) {
      const { session, apply } = storeSession(id);
      await apply(said('user', 'A leap year?', 'm1'), said('agent', 'No leap.', 'm2'));
      await transcripts.record(session)();
    }
    const path = join(directory, readdirSync(directory).find((name) => name.startsWith('s2-')) ?? '');
    const damage = (from: string, to: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
    return { directory, transcripts, told, path, damage };
  }
  const idsIn = async (found: AsyncIterable<{ readonly id: string }>) =>
    (await all(found)).map(({ id }) => id).sort();

  test('lists and searches the others, and says once which one is damaged and why', async () => {
    const { transcripts, told, damage } = await mixed();
    damage('"content":[', '"comtent":[');
    expect(await idsIn(transcripts.list())).toEqual(['s1', 's2', 's3']);
    // It has no such word, so that nothing more is read of it.
    expect([await idsIn(transcripts.search('tea')), told]).toEqual([[], []]);
    for (let round = 0; round < 2; round++)
      expect(await idsIn(transcripts.search('leap'))).toEqual(['s1', 's1', 's3', 's3']);
    expect(told).toEqual([
      expect.stringMatching(
        /^transcripts\.damaged: The transcript "s2" is damaged: .*line 2: entries\.0\.content is missing\./,
      ),
    ]);
    const expected = {
      name: 'TranscriptError',
      code: 'transcript.damaged',
      message: expect.stringContaining(
        'Nothing of the transcript "s2" can be read: line 2: entries.0.content is missing.',
      ),
    };
    await expect(transcripts.read('s2')).rejects.toMatchObject(expected);
    for (const format of ['json', 'markdown', 'html', 'text'] as const)
      await expect(transcripts.export('s2', { format })).rejects.toMatchObject(expected);
  });

  test.each([
    ['in its header', '"format":"a', '"format":"b', [], 'line 1 is'],
    ['in its conversation', '"content":[', '"comtent":[', [], 'line 2: entries.0'],
    ['in its last line', '"ended"', '"endet"', ['user: A leap year?', 'agent: No leap.'], 'line 3 is'],
  ])('records its session in a new file, and shows that something is missing %s', async (_, ...damaged) => {
    const [from, to, kept, why] = damaged;
    const { directory, transcripts, told, path, damage } = await mixed();
    damage(from, to);
    const text = readFileSync(path, 'utf8');
    const { session, apply } = storeSession('s2');
    await apply(said('user', 'A new question.', 'm3'));
    await transcripts.record(session)();
    const missing = `A part of this transcript is missing, because its file is damaged: ${why}`;
    expect(outline(await transcripts.read('s2'))).toEqual([
      ...kept,
      'user: A new question.',
      expect.stringContaining(missing),
    ]);
    // What a person may still read in it stays.
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(told).toHaveLength(1);
    expect(readdirSync(directory)).toHaveLength(4);
  });

  test('does not read a record that says that another one has its content, and the error says so', async () => {
    const { transcripts, path, damage } = await mixed();
    damage('"includes":[]', `"includes":["${path.slice(-38, -6)}"]`);
    await expect(transcripts.read('s2')).rejects.toThrow(
      'Nothing of the transcript "s2" can be read: each of its records says that another one has its content.',
    );
  });

  test('goes on behind a file that cannot be read at all, in a search and in a recording', async () => {
    const { directory, path } = await mixed();
    const broken = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    const read = (name: string) =>
      name.endsWith(basename(path)) ? Promise.reject(broken) : recordFiles.read(name);
    const told: string[] = [];
    const storage = await directoryStorage(directory, { ...recordFiles, read });
    const transcripts = await openTranscripts({ storage, onDiagnostic: ({ message }) => told.push(message) });
    expect(await idsIn(transcripts.search('leap'))).toEqual(['s1', 's1', 's3', 's3']);
    const message = `The transcript "s2" cannot be read: EIO: i/o error. Allow this user to read the files in ${JSON.stringify(realpathSync(directory))}.`;
    const expected = { name: 'TranscriptError', code: 'transcript.directory', message, cause: broken };
    await expect(transcripts.read('s2')).rejects.toMatchObject(expected);
    await expect(transcripts.export('s2', { format: 'text' })).rejects.toMatchObject(expected);
    const { session, apply } = storeSession('s2');
    await apply(said('user', 'A new question.', 'm3'));
    await transcripts.record(session)();
    await transcripts.close();
    expect(told).toEqual([expect.stringContaining('The transcript "s2" cannot be read: EIO')]);
    expect(readdirSync(directory)).toHaveLength(4);
  });

  test.each([
    ['of its id', '"id":"s2"', '"id":"r2"', ['s1', 's2', 's3']],
    ['of its session', '"sessionId":"s2"', '"sessionId":"r2"', ['s1', 's2', 's3']],
    ['of its writer', '"writer":"', '"writer":"x', ['s1', 's2', 's3']],
    ['of the format', '"format":"a', '"format":"b', ['s1', 's3']],
  ])('lists what can be removed, with one flipped bit %s', async (_, from, to, listed) => {
    const { directory, transcripts, told, damage } = await mixed();
    damage(from, to);
    expect(await idsIn(transcripts.list())).toEqual(listed);
    expect(told).toEqual(
      listed.length === 3
        ? []
        : [
            expect.stringMatching(
              /^transcripts\.damaged: The transcript in the file .*s2-.* is damaged, and is not listed/,
            ),
          ],
    );
    expect([...(await transcripts.prune({ keep: 0 }))].sort()).toEqual(listed);
    expect(await idsIn(transcripts.list())).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(3 - listed.length);
    // A file that cannot be listed is removed by its name.
    await transcripts.remove('s2');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a name of a record that belongs to', () => {
  test.each<[string, (path: string, own: string) => unknown]>([
    ['a link to a file', (path, own) => symlinkSync(own, path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a directory', (path) => mkdirSync(path)],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
    [
      'a socket',
      async (path) => {
        const server = createServer().listen(path);
        onTestFinished(() => void server.close());
        await once(server, 'listening');
      },
    ],
  ])(
    '[security: transcript-files] %s is no record: everything else goes on, and it stays',
    async (_, make) => {
      // The path of a socket is short.
      const directory = mkdtempSync('/tmp/t-');
      onTestFinished(() => rmSync(directory, { recursive: true }));
      const transcripts = await openIn(directory);
      const { session, apply } = storeSession('s1');
      await apply(said('user', 'A leap.', 'm1'));
      await transcripts.record(session)();
      const [own = ''] = readdirSync(directory);
      const name = own.replace(/[\da-f]{32}\.jsonl$/, `${'b'.repeat(32)}.jsonl`);
      await make(join(directory, name), join(directory, own));
      // As many as Node opens at the same time, and one more.
      const reads = Array.from({ length: 5 }, () => transcripts.read('s1'));
      for (const { entries } of await Promise.all(reads)) expect(entries).toHaveLength(1);
      expect(await all(transcripts.search('leap'))).toHaveLength(1);
      const again = storeSession('s1');
      await again.apply(said('user', 'And again.', 'm2'));
      await transcripts.record(again.session)();
      expect((await transcripts.read('s1')).entries).toHaveLength(2);
      await transcripts.remove('s1');
      expect(readdirSync(directory)).toEqual([name]);
    },
  );
});

test('[security: transcript-files] a sample of the bits of a transcript that are flipped: no other error than a TranscriptError, and nothing else is lost', async () => {
  const pair = await recordedPair(temporaryFolder());
  const directory = join(temporaryFolder(), 'flipped');
  const problems: string[] = [];
  // A step that is no multiple of 8 has each bit of a byte in turn.
  for (let bit = 0; bit < 8 * pair.damaged.bytes.length; bit += 613)
    problems.push(...(await playBit(pair, bit, directory)));
  expect(problems).toEqual([]);
});
