import { describe, expect, onTestFinished, test } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { type RecordFiles, recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { all, openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function saved(transcripts: Transcripts, id: string, ...texts: readonly string[]): Promise<void> {
  const { session, apply } = storeSession(id);
  for (const [index, text] of texts.entries()) await apply(said('user', text, `m${index}`));
  await transcripts.record(session)();
}

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

  test.each([
    ['leap YEA', 'Is 1900 a Leap\tyear?', 'Leap\tyea'],
    ['leap', 'if (isLeapYear(2000))', 'Leap'],
    ['year', 'the HTTPYear', 'Year'],
    ['github', 'on GitHub', 'GitHub'],
    ['script', 'JavaScript, not manuscript', 'Script'],
    ['http2', 'over HTTP/2 and http2', 'http2'],
    ['src leap', 'see src/leap.ts', 'src/leap'],
    ['闰年', '今年是闰年吗', '闰年'],
    ['윤년', '윤년입니까', '윤년'],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ', 'ΣΊΣΥΦΟΣ'],
    ['kelvin', 'at 0 \u212aelvin', '\u212aelvin'],
    ['Search', 'a ſearch', 'ſearch'],
    ['café', 'in the CAFÉ', 'CAFÉ'],
    ['ça', 'Ça va', 'Ça'],
    ['leap', 'ab年leap', 'leap'],
    ['leap年', 'leap年', 'leap年'],
    ['abc', '2abc', 'abc'],
    ['2', 'http2', '2'],
  ])('for %s finds %s', async (text, content, match) => {
    const transcripts = await openIn(temporaryFolder());
    await saved(transcripts, 's1', content);
    const [hit] = await all(transcripts.search(text));
    expect(hit?.text.slice(hit.match.start, hit.match.end)).toBe(match);
  });

  test.each([
    ['eap', 'a leap year'],
    ['script', 'a manuscript'],
    ['leap year', 'leapyear'],
    ['leap year', 'A year before the leap.'],
    ['ab年', 'xab年'],
    ['ab', '年xab'],
    ['bc', 'ABC'],
    ['2', '12'],
    ['?!', 'What?!'],
  ])('for %s does not find %s', async (text, content) => {
    const transcripts = await openIn(temporaryFolder());
    await saved(transcripts, 's1', content);
    expect(await all(transcripts.search(text))).toEqual([]);
  });
});
