import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTranscripts } from '../../../src/transcripts/open-transcripts.ts';
import type { TranscriptInfo } from '../../../src/transcripts/transcript.ts';
import { readTranscriptFile } from '../../../src/transcripts/transcript-file.ts';
import { outline } from '../../support/open-session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fixtures = join(import.meta.dirname, '../../fixtures/transcripts');

test('a transcript of version 1, whose last line was cut off, is listed, read and searched, and its file is read alone', async () => {
  expect(readdirSync(fixtures)).toHaveLength(1);
  const directory = temporaryFolder();
  cpSync(fixtures, directory, { recursive: true });
  const transcripts = await openTranscripts({ directory });
  onTestFinished(() => transcripts.close());
  const found: TranscriptInfo[] = [];
  for await (const info of transcripts.list()) found.push(info);
  expect(found).toMatchObject([{ id: 'session-1', cwd: '/home/user/project', isNewer: false }]);
  const [user = '', ...others] = outline(await transcripts.read('session-1'));
  expect(user).toMatch(/^user: Is 1900 a leap year\?/);
  expect(others).toContain('call-1: completed');
  const hits: string[] = [];
  for await (const { entryKey } of transcripts.search('leap year')) hits.push(entryKey);
  expect(hits).toEqual(['user:m1', 'tool:call-1']);

  const name = readdirSync(fixtures)[0] ?? '';
  const text = readFileSync(join(fixtures, name), 'utf8');
  const [info] = found;
  expect(readTranscriptFile(text, name)).toEqual({
    id: info?.id,
    sessionId: info?.sessionId,
    agent: info?.agent,
    cwd: info?.cwd,
    title: info?.title,
    updatedAt: info?.updatedAt,
    conversation: await transcripts.read('session-1'),
    isDamaged: false,
  });
  expect(readTranscriptFile('{"dir":"in"}', name)).toBeUndefined();
  const newer = text.replace('"version":1', '"version":2');
  expect(() => readTranscriptFile(newer, name)).toThrow(
    `${JSON.stringify(name)} has version 2 of the format`,
  );
});
