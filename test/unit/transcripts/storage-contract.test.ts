import { describe, expect, test } from 'vitest';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import {
  endLine,
  formatVersion,
  headerLine,
  patchLine,
  snapshotLine,
} from '../../../src/records/transcripts/format.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import type {
  ListedRecord,
  RecordBatch,
  RecordInfo,
  TranscriptStorage,
} from '../../../src/records/transcripts/storage.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { all, said } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Ids that a storage may confuse, cut off, or read as a path, a pattern or a part of a query. */
const difficultIds: readonly string[] = [
  's1',
  'S1',
  '',
  ' ',
  '.',
  '..',
  '../s1',
  '/etc/passwd',
  'a\\b',
  'CON',
  'nul.jsonl',
  '%',
  '_1',
  '*',
  "'; DROP TABLE transcripts; --",
  '"',
  '\u0000',
  'line\nfeed',
  '\uD800',
  'é',
  'e\u0301',
  '年🎉',
  '__proto__',
  `${'long'.repeat(2500)}1`,
  `${'long'.repeat(2500)}2`,
];

/** What a record says, and the batches that make it. */
interface SampleRecord {
  readonly info: RecordInfo;
  readonly lines: string;
}

let count = 0;

/** A writer that no other record has. */
function writer(): string {
  return (++count).toString(16).padStart(32, '0');
}

function sample(id: string, text: string, info: Partial<RecordInfo> = {}): SampleRecord {
  const whole: RecordInfo = {
    id,
    writer: writer(),
    version: formatVersion,
    sessionId: id,
    creation: '2026-01-01T00:00:00.000Z 1',
    agent: { name: 'agent', version: '1.0.0' },
    cwd: '/home/user/project',
    title: text,
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...info,
  };
  const conversation = foldUpdates(emptyConversation(id), [said('agent', text)]);
  const process = { host: 'host', pid: 1, thread: 0 };
  const header = headerLine({ ...whole, createdAt: whole.updatedAt, process, includes: [] });
  return { info: whole, lines: header + snapshotLine(whole, JSON.stringify(conversation)) };
}

const replacing = ({ info, lines }: SampleRecord): RecordBatch => ({ info, mode: 'replace', lines });

const appending = (info: RecordInfo, lines: string): RecordBatch => ({ info, mode: 'append', lines });

/** The texts of the records of a transcript, by their writers. */
async function textsOf(storage: TranscriptStorage, id: string, writers?: readonly string[]) {
  const records = await storage.read(id, writers);
  const texts = Object.fromEntries(records.map((record) => [record.writer, record.text]));
  // A writer has one record.
  expect(Object.keys(texts)).toHaveLength(records.length);
  return texts;
}

const listOf = (storage: TranscriptStorage, cwd?: string): Promise<readonly ListedRecord[]> =>
  all(storage.list(cwd === undefined ? {} : { cwd }));

describe.each<[string, () => TranscriptStorage | Promise<TranscriptStorage>]>([
  ['a directory', () => directoryStorage(temporaryFolder())],
  ['memory', memoryStorage],
])('the storage in %s', (_, open) => {
  test('has nothing at first', async () => {
    const storage = await open();
    expect([await storage.read('s1'), await listOf(storage)]).toEqual([[], []]);
    for (const writers of [undefined, [writer()]]) await storage.remove('s1', writers);
  });

  test('returns what was written, batch by batch', async () => {
    const storage = await open();
    const { info, lines } = sample('s1', 'First.');
    await storage.append({ info, mode: 'replace', lines });
    const later = { ...info, title: 'Later', updatedAt: '2026-01-02T00:00:00.000Z' };
    const added = [patchLine(later, []), endLine(later)];
    for (const line of added) await storage.append(appending(later, line));
    expect(await textsOf(storage, 's1')).toEqual({ [info.writer]: lines + added.join('') });
    expect(await listOf(storage)).toEqual([{ ...later, bytes: expect.any(Number) }]);
    expect((await listOf(storage))[0]?.bytes).toBeGreaterThan(0);
  });

  test('replaces a record in one step', async () => {
    const storage = await open();
    const { info, lines } = sample('s1', 'First.');
    await storage.append({ info, mode: 'replace', lines: `${lines}${patchLine(info, [])}` });
    await storage.append({ info, mode: 'replace', lines });
    expect(await textsOf(storage, 's1')).toEqual({ [info.writer]: lines });
  });

  test('refuses to continue a record that it does not have', async () => {
    const storage = await open();
    const { info } = sample('s1', 'First.');
    await expect(storage.append(appending(info, endLine(info)))).rejects.toThrow();
    expect(await storage.read('s1')).toEqual([]);
  });

  test('keeps the records of several writers apart', async () => {
    const storage = await open();
    const samples = Array.from({ length: 20 }, (_, index) => sample('s1', `Text ${index}.`));
    await Promise.all(samples.map((one) => storage.append(replacing(one))));
    await Promise.all(samples.map(({ info }) => storage.append(appending(info, endLine(info)))));
    const texts = Object.fromEntries(samples.map(({ info, lines }) => [info.writer, lines + endLine(info)]));
    const [first = '', ...others] = Object.keys(texts);
    // With a writer that is gone, all records are returned.
    for (const writers of [undefined, [first, ...others], [first, writer()]])
      expect(await textsOf(storage, 's1', writers)).toEqual(texts);
  });

  test('takes any text as an id', async () => {
    const storage = await open();
    const samples = difficultIds.map((id) => sample(id, `Text of ${JSON.stringify(id)}.`));
    for (const one of samples) await storage.append(replacing(one));
    for (const { info, lines } of samples)
      expect(await textsOf(storage, info.id)).toEqual({ [info.writer]: lines });
    const ids = (await listOf(storage)).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(difficultIds.toSorted());
  });

  test('lists the sessions of a directory', async () => {
    const storage = await open();
    const directories = ['/home/user/project', '/home/user/project/', '/home/user/%'];
    for (const [index, cwd] of directories.entries())
      await storage.append(replacing(sample(`s${index}`, cwd, { cwd })));
    for (const cwd of directories) expect(await listOf(storage, cwd)).toMatchObject([{ cwd }]);
    expect(await listOf(storage, '/home')).toEqual([]);
  });

  test('lists records of newer versions, and keeps them as they are', async () => {
    const storage = await open();
    const { info, lines } = sample('s1', 'New.', { version: formatVersion + 1 });
    await storage.append({ info, mode: 'replace', lines });
    expect(await listOf(storage)).toMatchObject([{ version: formatVersion + 1 }]);
    expect(await textsOf(storage, 's1')).toEqual({ [info.writer]: lines });
  });

  test('keeps long records and each character', async () => {
    const storage = await open();
    const { info, lines } = sample('s1', '年🎉\u2028é\u0000 \\ " '.repeat(100_000));
    await storage.append({ info: { ...info, title: null }, mode: 'replace', lines });
    expect((await storage.read('s1'))[0]?.text === lines).toBe(true);
  });

  test('removes one record, and all records', async () => {
    const storage = await open();
    const [one, other, apart] = [sample('s1', 'One.'), sample('s1', 'Other.'), sample('s2', 'Apart.')];
    for (const each of [one, other, apart]) await storage.append(replacing(each));
    await storage.remove('s1', [one.info.writer, writer()]);
    expect(await textsOf(storage, 's1')).toEqual({ [other.info.writer]: other.lines });
    for (let count = 0; count < 2; count++) await storage.remove('s1');
    expect(await storage.read('s1')).toEqual([]);
    expect(await listOf(storage)).toMatchObject([{ id: 's2' }]);
  });
});
