import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import type { TimelineLine } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTranscript } from '../../../../../src/programs/inspector/timeline/read-transcript.ts';
import { exportConversation } from '../../../../../src/records/saved/export.ts';
import { openTranscripts } from '../../../../../src/records/transcripts/open-transcripts.ts';
import { temporaryFolder } from '../../../../support/temporary-folder.ts';

const fixtures = new URL('../../../../fixtures/', import.meta.url);
const folder = new URL('transcripts/', fixtures);
const fixture = readFileSync(new URL(readdirSync(folder)[0] ?? '', folder), 'utf8');

/** The row and the conversation of a transcript, as the page has them. */
function shown(lines: readonly TimelineLine[] = []) {
  const timeline = new LoadedTimeline('s1', lines);
  expect(timeline.isTranscript).toBe(true);
  return { item: timeline.rows[0]?.item, conversation: timeline.conversationAt(0, 0) };
}

/** What `openTranscripts` reads of the same file. */
async function conversationOfFixture() {
  const directory = temporaryFolder();
  cpSync(folder, directory, { recursive: true });
  const transcripts = await openTranscripts({ directory });
  onTestFinished(() => transcripts.close());
  return transcripts.read('session-1');
}

describe('readTranscript', () => {
  test('reads a file of `openTranscripts`, with what it says of the session', async () => {
    const { item, conversation } = shown(readTranscript('s1.jsonl', fixture));
    expect(conversation).toEqual(await conversationOfFixture());
    // Its last line was cut off, as by a program that was killed. That is no damage.
    expect(item).toMatchObject({ type: 'transcript', cwd: '/home/user/project', isDamaged: false });
    expect(item).toHaveProperty('updatedAt', expect.stringMatching(/^20\d\d-/));
  });

  test.each([0, 2])('reads an exported conversation, with an indentation of %i', async (indentation) => {
    const conversation = await conversationOfFixture();
    const text = JSON.stringify(exportConversation(conversation), null, indentation);
    expect(shown(readTranscript('s1.json', text)).conversation).toEqual(conversation);
  });

  test('shows the part before a damaged line, and says so', () => {
    const damaged = fixture.replace('"patch":', '"patch');
    const { item, conversation } = shown(readTranscript('s1.jsonl', damaged));
    expect(item).toMatchObject({ isDamaged: true });
    expect(conversation?.entries).toHaveLength(2);
    const doesNotFit = fixture.replace(
      /"patch":\[.*\]/,
      '"patch":[{"op":"set","path":["entries",9,"a","b"],"value":1}]',
    );
    expect(shown(readTranscript('s1.jsonl', doesNotFit)).item).toMatchObject({ isDamaged: true });
  });

  test('fails with the file and the reason for a newer version, and for what is not complete', async () => {
    const conversation = await conversationOfFixture();
    const exported = JSON.stringify(exportConversation(conversation));
    const failing = (file: string) => () => readTranscript('some/file', file);
    expect(failing(fixture.replace('"version":1', '"version":3'))).toThrow(
      expect.objectContaining({
        code: 'transcript.newer',
        message: expect.stringMatching(/"some\/file" has version 3 .* Update acp-client-sdk/),
      }),
    );
    expect(failing(exported.replace('"version":2', '"version":3'))).toThrow(
      expect.objectContaining({
        code: 'transcript.newer',
        message: expect.stringMatching(/"some\/file" cannot be read: version is 3, .*: update it/),
      }),
    );
    expect(failing(fixture.replace('"snapshot"', '"snapsh'))).toThrow(
      expect.objectContaining({
        code: 'transcript.damaged',
        message: expect.stringMatching(/Nothing of the transcript "some\/file" can be read/),
      }),
    );
    expect(failing(exported.slice(0, -100))).toThrow(
      expect.objectContaining({
        code: 'transcript.damaged',
        message: expect.stringMatching(/"some\/file" is not complete JSON: .* Export it again/),
      }),
    );
    expect(failing(exported.replace('"entries":[', '"entries":[7,'))).toThrow(
      expect.objectContaining({
        code: 'transcript.damaged',
        message: expect.stringMatching(/"some\/file" cannot be read: conversation\.entries\.0 /),
      }),
    );
  });

  test('leaves recordings and all other files alone', () => {
    const recording = readFileSync(new URL('traffic/sdk-example-0.12.0.ndjson', fixtures), 'utf8');
    for (const text of [recording, recording.slice(1), '', 'Water the plants.\n', '{"name":"x"}', '[1]\n'])
      expect(readTranscript('file', text)).toBeUndefined();
  });
});
