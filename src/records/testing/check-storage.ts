import { errorMessage } from '../../core/base/diagnostic.ts';
import { equal } from '../../core/conversation/equal.ts';
import { emptyConversation, foldUpdates } from '../../core/conversation/fold.ts';
import { endLine, formatVersion, headerLine, patchLine, snapshotLine } from '../transcripts/format.ts';
import type { ListedRecord, RecordBatch, RecordInfo, TranscriptStorage } from '../transcripts/storage.ts';
import { transcriptWords } from '../transcripts/words.ts';

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
  const conversation = foldUpdates(emptyConversation(id), [
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  ]);
  const header = {
    ...whole,
    createdAt: whole.updatedAt,
    process: { host: 'host', pid: 1, thread: 0 },
    includes: [],
  };
  return { info: whole, lines: headerLine(header) + snapshotLine(whole, JSON.stringify(conversation)) };
}

const replacing = ({ info, lines }: SampleRecord): RecordBatch => ({ info, mode: 'replace', lines });

type Rule = (storage: TranscriptStorage, expect: (holds: boolean, what: string) => void) => Promise<void>;

/** What a storage must do, by the sentence that a report has. */
const rules: Readonly<Record<string, Rule>> = {
  async 'has nothing at first'(storage, expect) {
    expect(
      (await storage.read('s1')).length === 0,
      'read returned records of a transcript that nobody wrote',
    );
    expect((await listOf(storage)).length === 0, 'list returned records that nobody wrote');
    await storage.remove('s1');
  },

  async 'returns what was written, batch by batch'(storage, expect) {
    const { info, lines } = sample('s1', 'First.');
    await storage.append({ info, mode: 'replace', lines });
    const later = { ...info, title: 'Later', updatedAt: '2026-01-02T00:00:00.000Z' };
    const added = [patchLine(later, []), endLine(later)];
    for (const line of added) await storage.append({ info: later, mode: 'append', lines: line });
    const [record, ...others] = await storage.read('s1');
    expect(others.length === 0, 'read returned more than one record of one writer');
    expect(record?.writer === info.writer, 'read returned another writer');
    expect(record?.text === lines + added.join(''), 'read returned other lines than were written');
    const [listed] = await listOf(storage);
    const { bytes = 0, ...listedInfo } = listed ?? {};
    expect(equal(listedInfo, later), 'list did not return the info of the last batch');
    expect(bytes > 0, 'list returned no bytes');
  },

  async 'replaces a record in one step'(storage, expect) {
    const { info, lines } = sample('s1', 'First.');
    await storage.append({ info, mode: 'replace', lines: `${lines}${patchLine(info, [])}` });
    await storage.append({ info, mode: 'replace', lines });
    const records = await storage.read('s1');
    expect(records.length === 1 && records[0]?.text === lines, 'the lines before stayed');
  },

  async 'refuses to continue a record that it does not have'(storage, expect) {
    const { info } = sample('s1', 'First.');
    const isRefused = await storage.append({ info, mode: 'append', lines: endLine(info) }).then(
      () => false,
      () => true,
    );
    expect(isRefused, 'append resolved');
    expect((await storage.read('s1')).length === 0, 'append made a record');
  },

  async 'keeps the records of several writers apart'(storage, expect) {
    const samples = Array.from({ length: 20 }, (_, index) => sample('s1', `Text ${index}.`));
    await Promise.all(samples.map((one) => storage.append(replacing(one))));
    await Promise.all(
      samples.map(({ info }) => storage.append({ info, mode: 'append', lines: endLine(info) })),
    );
    const records = new Map((await storage.read('s1')).map(({ writer, text }) => [writer, text]));
    for (const { info, lines } of samples)
      expect(records.get(info.writer) === lines + endLine(info), 'a record has lost a batch');
    const writers = samples.map(({ info }) => info.writer);
    const named = await storage.read('s1', writers);
    expect(named.length === samples.length, 'read with all writers returned other records');
    const [first = ''] = writers;
    const all = await storage.read('s1', [first, writer()]);
    expect(all.length === samples.length, 'read with a writer that is gone did not return all records');
  },

  async 'takes any text as an id'(storage, expect) {
    const samples = difficultIds.map((id) => sample(id, `Text of ${JSON.stringify(id)}.`));
    for (const one of samples) await storage.append(replacing(one));
    for (const { info, lines } of samples) {
      const records = await storage.read(info.id);
      const name = JSON.stringify(info.id.slice(0, 40));
      expect(records.length === 1 && records[0]?.text === lines, `read(${name}) returned something else`);
    }
    const ids = new Set((await listOf(storage)).map(({ id }) => id));
    for (const id of difficultIds)
      expect(ids.has(id), `list does not have the id ${JSON.stringify(id.slice(0, 40))}`);
  },

  async 'lists the sessions of a directory'(storage, expect) {
    const texts = ['/home/user/project', '/home/user/project/', '/home/user/%'];
    for (const [index, cwd] of texts.entries())
      await storage.append(replacing(sample(`s${index}`, cwd, { cwd })));
    for (const cwd of texts) {
      const found = await listOf(storage, cwd);
      expect(found.length === 1 && found[0]?.cwd === cwd, `list({ cwd: ${JSON.stringify(cwd)} }) is wrong`);
    }
    expect((await listOf(storage, '/home')).length === 0, 'list returned sessions of directories below');
  },

  async 'lists records of newer versions, and keeps them as they are'(storage, expect) {
    const { info, lines } = sample('s1', 'New.', { version: formatVersion + 1 });
    await storage.append({ info, mode: 'replace', lines });
    expect((await listOf(storage))[0]?.version === formatVersion + 1, 'list does not have its version');
    expect((await storage.read('s1'))[0]?.text === lines, 'read returned other lines');
  },

  async 'keeps long records and each character'(storage, expect) {
    const { info, lines } = sample('s1', '年🎉\u2028é\u0000 \\ " '.repeat(100_000));
    await storage.append({ info: { ...info, title: null }, mode: 'replace', lines });
    expect((await storage.read('s1'))[0]?.text === lines, 'a long record was changed');
  },

  async 'removes one record, and all records'(storage, expect) {
    const [one, other, apart] = [sample('s1', 'One.'), sample('s1', 'Other.'), sample('s2', 'Apart.')];
    for (const each of [one, other, apart]) await storage.append(replacing(each));
    await storage.remove('s1', [one.info.writer, writer()]);
    const left = await storage.read('s1');
    expect(left.length === 1 && left[0]?.writer === other.info.writer, 'the wrong records are left');
    await storage.remove('s1');
    await storage.remove('s1');
    expect((await storage.read('s1')).length === 0, 'a removed record is left');
    const ids = (await listOf(storage)).map(({ id }) => id);
    expect(equal(ids, ['s2']), 'list has a removed transcript, or lost another one');
  },

  async 'finds the transcripts that have words'(storage, expect) {
    if (!storage.candidates) return;
    const texts = ['A leap year has 366 days.', 'isLeapYear(2000)', "L'année bissextile", '闰年'];
    for (const [index, text] of texts.entries()) await storage.append(replacing(sample(`s${index}`, text)));
    await storage.append(replacing(sample('removed', texts.join(' '))));
    await storage.remove('removed');
    const searches: readonly (readonly [text: string, found: number])[] = [
      ['leap year', 0],
      ['leap ye', 0],
      ['LEAP', 1],
      ['Année', 2],
      ['闰', 3],
    ];
    for (const [text, found] of searches) {
      const ids = await storage.candidates([...transcriptWords(text)]);
      expect(
        ids?.has(`s${found}`) ?? true,
        `candidates of ${JSON.stringify(text)} do not have ${texts[found]}`,
      );
      expect(!ids?.has('removed'), 'candidates have a removed transcript');
    }
  },
};

/**
 * Checks a storage for transcripts: that it keeps what is written, for any id, and leaves nothing when it removes.
 *
 * @param open - Opens a storage that is empty. It is called once for each rule, and each storage is closed.
 * @throws Error with each rule that does not hold.
 *
 * @example
 * ```ts
 * await checkTranscriptStorage(async () => myStorage(await emptyDatabase()));
 * ```
 */
export async function checkTranscriptStorage(
  open: () => TranscriptStorage | Promise<TranscriptStorage>,
): Promise<void> {
  const broken: string[] = [];
  for (const [rule, check] of Object.entries(rules)) {
    const storage = await open();
    const found = new Set<string>();
    try {
      await check(storage, (holds, what) => {
        if (!holds) found.add(what);
      });
    } catch (error) {
      found.add(errorMessage(error));
    } finally {
      await storage.close?.();
    }
    if (found.size > 0) broken.push(`A storage ${rule}: ${[...found].join('; ')}.`);
  }
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

async function listOf(storage: TranscriptStorage, cwd?: string): Promise<readonly ListedRecord[]> {
  const found: ListedRecord[] = [];
  for await (const record of storage.list(cwd === undefined ? {} : { cwd })) found.push(record);
  return found;
}
