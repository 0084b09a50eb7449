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
import { emptyConversation, foldUpdates } from '../../../src/core/conversation/fold.ts';
import type { PatchOperation } from '../../../src/core/conversation/patch.ts';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { headerLine, patchLine, readRecord, snapshotLine } from '../../../src/records/transcripts/format.ts';
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

const info = {
  id: 's1',
  writer: 'a'.repeat(32),
  version: 1,
  sessionId: 's1',
  agent: null,
  cwd: '/home/user/project',
  title: 'A title',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const writer = { process: { host: 'host', pid: 1, thread: 0 }, includes: [] };
const header = headerLine({ ...info, createdAt: info.updatedAt, ...writer });
const snapshot = foldUpdates(emptyConversation('s1'), [
  said('user', 'A question.', 'm1'),
  said('agent', 'You must ', 'm2'),
]);
const whole = JSON.stringify(snapshot);
const appended = (text: string) => ({ op: 'append', path: ['entries', 1, 'content', 0, 'text'], text });
// A file can have anything.
const patch = (operation: unknown) => patchLine(info, [operation as PatchOperation]);
const splice = (at: number, insert: unknown, remove = 0) =>
  patch({ op: 'splice', path: ['entries'], at, remove, insert });
const good = header + snapshotLine(info, whole);

test('a record of version 1 is read with its plans, which had no types', () => {
  const task = { content: 'Read', priority: 'high', status: 'pending' };
  const document = { type: 'markdown', planId: 'b', content: '# Plan' };
  const begin = JSON.stringify({ ...snapshot, plans: [{ planId: 'a', entries: [task] }] });
  const insert = [{ planId: 'b', entries: [], other: document }];
  const text =
    header + snapshotLine(info, begin) + patch({ op: 'splice', path: ['plans'], at: 1, remove: 0, insert });
  expect(readRecord(text)).toMatchObject({
    damage: undefined,
    conversation: { plans: [{ planId: 'a', type: 'items', entries: [task] }, document] },
  });
});

describe('a record', () => {
  const planned = { op: 'splice', path: ['plans'], at: 0, remove: 0, insert: [] } as const;
  const titled = { op: 'set', path: ['info', 'title'], value: 'T' } as const;
  test.each<[string, string, boolean, boolean]>([
    ['nothing', good, false, false],
    ['a change of a title', good + patch(titled), false, false],
    ['a change of a plan', good + patch(planned), true, false],
    ['a change of a plan among others', good + patchLine(info, [planned, titled]), true, false],
    ['it', header + snapshotLine(info, whole, ',"hadPlans":true'), true, false],
    ['something else', header + snapshotLine(info, whole, ',"hadPlans":1'), false, false],
    ['its end', `${good}{"ended":true}\n`, false, true],
    ['a line behind its end', `${good}{"ended":true}\n${patch(titled)}`, false, false],
  ])('has had plans, and has ended, if %s says so', (_, text, hadPlans, isEnded) => {
    const known = { origins: new Map(), seen: new Map() };
    expect(readRecord(text)).toMatchObject({ ...known, hadPlans, isEnded, damage: undefined });
  });

  const fits = patch(appended('not delete it.'));
  const later = patch(appended(' LATER'));
  const noLine = ' is not a line of a transcript';
  const misfit = ': it changes what is not there';

  test.each([
    ['is no JSON', 'patch":[]}\n', noLine],
    ['is JSON of another kind', '{"other":[]}\n', noLine],
    ['is a second conversation', snapshotLine(info, whole), noLine],
    ['changes an entry that is not there', patch({ op: 'unset', path: ['entries', 9, 'meta'] }), misfit],
    ['has no operation', patch(null), misfit],
    ['adds an entry of no kind', splice(2, [{ kind: 'mess' }]), ': entries.2.kind must be one of message'],
    ['adds an entry twice', splice(2, snapshot.entries), ': entries.2.key is the key of an earlier entry'],
    ['sets another type', patch({ op: 'set', path: ['usage'], value: 7 }), ': usage must be object'],
  ])('of which a line %s is damaged from there on', (_, line, why) => {
    const reading = readRecord(good + fits + line + later + later);
    expect(reading).toMatchObject({ damage: expect.stringContaining(`line 4${why}`), isEnded: false });
    const shown = 'conversation' in reading && outline(reading.conversation);
    expect(shown).toEqual(['user: A question.', 'agent: You must not delete it.']);
    // The same line is found behind many good ones.
    const many = good + fits + patch(appended('!')).repeat(100) + line + later;
    expect(readRecord(many)).toMatchObject({ damage: expect.stringContaining(`line 104${why}`) });
  });

  test.each([
    ['a header', `no header\n${good}`, 'line 1 is not the header of a transcript'],
    ['a conversation', header, 'line 2 is missing'],
    ['a whole conversation', `${header}{"snapshot":\n`, `line 2${noLine}`],
    ['a list', good.replace('"content":', '"comtent":'), 'line 2: entries.0.content is missing'],
  ])('without %s cannot be read, and says why', (_, text, why) => {
    expect(readRecord(text)).toEqual({ unreadable: why });
  });

  test('that is damaged in its time and title keeps those of the line before', () => {
    const text = good + fits.replace('2026-01-01T00', '2026-01-41T00').replace('"A title"', '5');
    const kept = { updatedAt: info.updatedAt, title: 'A title', damage: undefined };
    expect(readRecord(text)).toMatchObject(kept);
    expect(readRecord(good + fits.replace('"A title"', 'null'))).toMatchObject({ title: null });
  });
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
