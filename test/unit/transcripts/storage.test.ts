import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { recordFileName } from '../../../src/records/transcripts/directory/file-names.ts';
import { type RecordFiles, recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { headerLine, patchLine } from '../../../src/records/transcripts/format.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { all, openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function saved(transcripts: Transcripts, id: string, text = 'Hello.'): Promise<void> {
  const { session, apply } = storeSession(id);
  await apply(said('user', text));
  await transcripts.record(session)();
}

test('transcripts without a place are an error', async () => {
  // As in a program in JavaScript.
  const options = {} as Parameters<typeof openTranscripts>[0];
  await expect(openTranscripts(options)).rejects.toThrow('either directory or storage. Nothing was done.');
});

test.each<[string, (transcripts: Transcripts) => Promise<number>]>([
  ['a search', async (transcripts) => (await all(transcripts.search('leap'))).length],
  ['prune', async (transcripts) => (await transcripts.prune({ keep: 0 })).length],
])('%s looks at the names in the directory as often for many transcripts as for one', async (_, act) => {
  const looksFor = async (saves: number) => {
    let looks = 0;
    const counted: RecordFiles = {
      ...recordFiles,
      names: (directory) => {
        looks++;
        return recordFiles.names(directory);
      },
    };
    const storage = await directoryStorage(temporaryFolder(), counted);
    const transcripts = await openTranscripts({ storage });
    onTestFinished(() => transcripts.close());
    for (let number = 1; number <= saves; number++) await saved(transcripts, `s${number}`, 'A leap.');
    looks = 0;
    expect(await act(transcripts)).toBe(saves);
    return looks;
  };
  expect(await looksFor(20)).toBe(await looksFor(1));
});

test('a record that vanishes while it is read is read in the one that has its content', async () => {
  const directory = temporaryFolder();
  const plain = await directoryStorage(directory);
  const [kept = '', removed = ''] = ['1', '2'].map((digit) => digit.repeat(32));
  const write = (writer: string, lines: string) => {
    const info = { id: 's1', writer, version: 2, sessionId: 's1', agent: null, cwd, title: null };
    return plain.append({ info: { ...info, updatedAt: '' }, mode: 'replace', lines });
  };
  await write(kept, 'its own\n');
  await write(removed, 'its own\n');
  const isRead = deferred<void>();
  const read = async (path: string) => {
    if (path.includes(kept)) return recordFiles.read(path).finally(isRead.resolve);
    await isRead.promise;
    await write(kept, 'that of both\n');
    await plain.remove('s1', [removed]);
    return recordFiles.read(path);
  };
  const storage = await directoryStorage(directory, { ...recordFiles, read });
  expect((await storage.read('s1')).map(({ writer, text }) => [writer, text])).toEqual([
    [kept, 'that of both\n'],
  ]);
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
  await expect(transcripts.read('s1')).rejects.toMatchObject({
    message:
      'The transcript "s1" has version 99 of the format, which this version of acp-client-sdk cannot read. Nothing was changed. Update acp-client-sdk.',
  });
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

describe('a search', () => {
  test('in a directory finds what another program recorded in the same session elsewhere', async () => {
    const storage = memoryStorage();
    for (const [cwd, text] of [
      ['/home/user/a', 'A leap.'],
      ['/home/user/b', 'A year.'],
    ] as const) {
      // Neither has stopped: the transcript has two records.
      const transcripts = await openTranscripts({ storage });
      const { session, apply } = storeSession('s1', { cwd });
      await apply(said('user', text, cwd));
      transcripts.record(session);
      await eventually(async () => (await storage.read('s1')).length).toBe(cwd.endsWith('a') ? 1 : 2);
      onTestFinished(() => transcripts.close());
    }
    const transcripts = await openTranscripts({ storage });
    expect(await all(transcripts.search('leap', { cwd: '/home/user/b' }))).toMatchObject([{ id: 's1' }]);
    expect(await all(transcripts.search('leap', { cwd: '/home/user' }))).toEqual([]);
    expect(await all(transcripts.search('?!'))).toEqual([]);
    await expect(all(transcripts.search('a '.repeat(2501)))).rejects.toThrow(/text must have at most 5000/);
  });

  test('ends when the transcripts close', async () => {
    const transcripts = await openIn(temporaryFolder());
    for (const id of ['s1', 's2']) await saved(transcripts, id, 'A leap.');
    let count = 0;
    for await (const { id } of transcripts.search('leap')) {
      expect(id).toMatch(/^s[12]$/);
      count++;
      await transcripts.close();
    }
    expect(count).toBe(1);
  });
});

const [writer, other, nonce] = ['a1'.repeat(16), 'b2'.repeat(16), '1c'.repeat(8)];
const info = {
  ...{ id: 's1', writer, version: 2, sessionId: 's1', agent: null, cwd: '/p', title: 'A' },
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const writing = { host: 'host', pid: 1, thread: 0 };
const header = headerLine({ ...info, createdAt: info.updatedAt, process: writing, includes: [] });
const titled = (title: string, text = '') =>
  patchLine({ ...info, title }, [{ op: 'set', path: ['info', 'title'], value: text }]);

/** A directory with the record of one transcript, and its storage. */
async function withRecord(files: Partial<RecordFiles> = {}, lines = header) {
  const directory = realpathSync(temporaryFolder());
  const path = join(directory, recordFileName('s1', writer));
  writeFileSync(path, lines);
  const told: string[] = [];
  const storage = await directoryStorage(directory, { ...recordFiles, ...files }, (why) => told.push(why));
  return { directory, path, told, storage };
}

const broken = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

test('of what programs have left, only temporary files of records are removed, which are more than an hour old', async () => {
  const directory = temporaryFolder();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1, 12) });
  onTestFinished(() => void vi.useRealTimers());
  const put = (name: string, minutes: number) => {
    writeFileSync(join(directory, name), '');
    const time = new Date(Date.now() - minutes * 60_000);
    utimesSync(join(directory, name), time, time);
  };
  put(`.${writer}.${nonce}.tmp`, 61);
  put(`.${other}.${nonce}.tmp`, 60);
  const names = [
    `x.${writer}.${nonce}.tmp`,
    `.${writer}.${nonce}.tmp.x`,
    `.a.${nonce}.tmp`,
    `.${writer}.1.tmp`,
  ];
  for (const name of names) put(name, 600);
  await directoryStorage(directory);
  expect(readdirSync(directory).sort()).toEqual([...names, `.${other}.${nonce}.tmp`].sort());
});

test('a file whose name is not quite that of a record is no record, and stays', async () => {
  const { directory, path, told, storage } = await withRecord();
  const copies = [path.replace('s1-', 'Copy of s1-'), `${path}.bak`, join(directory, 'notes.txt')];
  for (const copy of copies) cpSync(path, copy);
  expect(await all(storage.list())).toMatchObject([{ id: 's1', bytes: header.length }]);
  expect(await storage.read('s1')).toHaveLength(1);
  await storage.remove('s1');
  expect(
    readdirSync(directory)
      .map((name) => join(directory, name))
      .sort(),
  ).toEqual(copies.sort());
  expect(told).toEqual([]);
});

describe('a list', () => {
  const long = 'x'.repeat(5000);
  test.each([
    ['its header', header, 'A'],
    ['its last line', header + titled('C').repeat(50) + titled('B'), 'B'],
    ['its last line, if that is long', header + titled('C') + titled('B', long), 'B'],
    ['its last line, if that is very long', header + titled('C') + titled('B', long.repeat(10)), 'B'],
    ['the line before one that was cut off', `${header + titled('B')}{"upda`, 'B'],
    ['the line before a damaged one', `${header + titled('B')}x\n`, 'B'],
    ['the line before a longer damaged one', `${header + titled('B')}${'x'.repeat(2046)}\n`, 'B'],
    ['no line that ends', header.slice(0, -1), undefined],
    ['no header', `{}\n${header}`, undefined],
    ['the header of another transcript', header.replaceAll('"s1"', '"s2"'), undefined],
  ])('has the title that a record has in %s, or says that it has none', async (_, lines, title) => {
    const { path, storage, told } = await withRecord({}, lines);
    const isListed = title !== undefined;
    expect(await all(storage.list())).toEqual(isListed ? [{ ...info, title, bytes: lines.length }] : []);
    const why = `The transcript in the file ${JSON.stringify(path)} is damaged, and is not listed: Its first line is not the header that belongs to its name. Restore the file from a copy, or delete it.`;
    expect(told).toEqual(isListed ? [] : [why]);
  });

  test('says which file cannot be read, but not of one that vanishes, and reads both the next time', async () => {
    const codes = ['EIO', 'ENOENT'];
    const { path, storage, told } = await withRecord({
      readPart: async (...part) => {
        const code = codes.shift();
        if (code !== undefined) throw broken(code);
        return recordFiles.readPart(...part);
      },
      names: async (directory) => [...(await recordFiles.names(directory)), recordFileName('gone', writer)],
    });
    for (const count of [0, 0, 1]) expect(await all(storage.list())).toHaveLength(count);
    expect(told).toEqual([
      expect.stringContaining(`${JSON.stringify(path)} is damaged, and is not listed: EIO`),
    ]);
    await storage.remove('gone');
  });

  test.each(['size', 'mtimeMs', 'ino'] as const)(
    'reads a file again only if its %s is another one',
    async (name) => {
      let [reads, added] = [0, 0];
      const { storage } = await withRecord({
        facts: (path) => {
          const facts = recordFiles.facts(path);
          return facts && { ...facts, [name]: facts[name] + added };
        },
        readPart: (...part) => {
          reads++;
          return recordFiles.readPart(...part);
        },
      });
      const counts: number[] = [];
      for (added of [0, 0, 1]) {
        await all(storage.list());
        counts.push(reads);
      }
      expect(counts).toEqual([2, 2, 4]);
    },
  );

  test.each([
    [255, true],
    [256, false],
  ])('of %i files is there before other work of the program: %s', async (count, isFirst) => {
    const files = Array.from({ length: count }, (_, index) => `${index}.txt`);
    const { storage } = await withRecord({ names: async () => files });
    let isThere = false;
    const listing = all(storage.list()).then(() => {
      isThere = true;
    });
    for (let turn = 0; turn < 1000; turn++) await Promise.resolve();
    expect(isThere).toBe(isFirst);
    await listing;
  });
});

describe('a directory', () => {
  test('that is a file cannot be used, and the error says so', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    const cause = expect.objectContaining({ code: 'EEXIST' });
    await expect(directoryStorage(path)).rejects.toMatchObject({
      ...{ name: 'TranscriptError', code: 'transcript.directory', cause },
      message: expect.stringMatching(/^The directory for transcripts .*file" cannot be used: EEXIST/),
    });
  });

  test.each(['create', 'rename'] as const)(
    'in which %s fails is as it was, and the error says why',
    async (step) => {
      const { directory, path, storage } = await withRecord({
        [step]: vi.fn(recordFiles[step]).mockRejectedValueOnce(broken('EIO')),
      });
      await expect(storage.append({ info, mode: 'replace', lines: 'x\n' })).rejects.toThrow('EIO: refused');
      expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([path]);
      await storage.append({ info, mode: 'replace', lines: 'x\n' });
      expect((await storage.read('s1')).map(({ text }) => text)).toEqual(['x\n']);
      if (process.platform !== 'linux') return;
      // Node itself opens and closes other files meanwhile.
      const links = readdirSync('/proc/self/fd').map((name) => readlink(`/proc/self/fd/${name}`));
      const opened = await Promise.allSettled(links);
      expect(JSON.stringify(opened)).not.toContain(directory);
    },
  );

  test.skipIf(process.platform === 'win32').each([
    ['is made private', 0o755, 0, 0o700],
    ['stays as it is if it is private', 0o500, 0, 0o500],
    ['of another user stays as it is', 0o755, 1, 0o755],
  ])('that exists %s', async (_, mode, other, expected) => {
    const directory = join(temporaryFolder(), 'transcripts');
    mkdirSync(directory);
    chmodSync(directory, mode);
    const user = vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + other);
    onTestFinished(() => user.mockRestore());
    await directoryStorage(directory);
    expect(statSync(directory).mode & 0o777).toBe(expected);
  });

  test.skipIf(process.platform === 'win32').each<[string, (path: string) => unknown]>([
    ['a link', (path) => symlinkSync('/etc/hosts', path)],
    ['a pipe', (path) => renameSync(`${path}.pipe`, path)],
  ])(
    '[security: transcript-files] in which %s takes the place of a record while it is opened does not have the record',
    async (_, replace) => {
      const { directory, path, storage } = await withRecord();
      const pipe = join(directory, 'pipe');
      for (const each of [pipe, `${path}.pipe`]) execFileSync('mkfifo', [each]);
      // Node opens no other file as long as so many wait.
      const waiting = Array.from({ length: Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) }, () =>
        open(pipe),
      );
      const reading = storage.read('s1', [writer]);
      rmSync(path);
      replace(path);
      const end = openSync(pipe, 'w');
      for (const handle of await Promise.all(waiting)) await handle.close();
      expect(await reading).toEqual([]);
      closeSync(end);
    },
  );
});
