import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SentSecrets } from '../../../src/core/base/secrets.ts';
import type { PatchOperation } from '../../../src/core/conversation/patch.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import { directoryStorage } from '../../../src/records/transcripts/directory/directory-storage.ts';
import { recordFiles } from '../../../src/records/transcripts/directory/files.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import { Redaction } from '../../../src/records/transcripts/redaction.ts';
import type { Transcripts } from '../../../src/records/transcripts/transcripts.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
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
  const sending = (...texts: readonly string[]) => {
    const secrets = new SentSecrets();
    secrets.add(texts);
    return { secrets, redaction: new Redaction(secrets) };
  };
  const printed = (text: string, terminalId: string): ConversationUpdate => ({
    ...{ sessionUpdate: 'terminal_output_chunk', terminalId, data: btoa(text) },
  });
  const conversation = foldUpdates(emptyConversation('s1'), [
    said('user', 'A question', 'm1'),
    said('agent', 'An answer that is longer than the secrets', 'm2'),
    { sessionUpdate: 'session_info_update', title: 'The title' },
    printed('Some output', 't'),
    printed('Other output', 'u'),
  ]);
  const partsOf = ({ entries, terminals }: Conversation) => [...entries, ...Object.values(terminals)];

  test.each(['A question', 'The title', 'Some output'])(
    'is left out of a conversation with %s, whose other parts stay the same',
    (text) => {
      const { redaction } = sending('another one', text);
      const safe = redaction.conversation(conversation);
      expect(safe).toEqual(JSON.parse(JSON.stringify(conversation).replace(text, '[redacted]')));
      expect(redaction.hasFound).toBe(true);
      const again = partsOf(redaction.conversation(conversation));
      expect(again.every((part, index) => part === partsOf(safe)[index])).toBe(true);
      const changed = partsOf(conversation).filter((part) => !again.includes(part));
      expect(changed).toHaveLength(text === 'The title' ? 0 : 1);
    },
  );

  test('is left out of what is written after it was sent', () => {
    const { secrets, redaction } = sending();
    expect(redaction.conversation(conversation)).toBe(conversation);
    for (const text of ['An answer', 'Other output']) {
      secrets.add([text]);
      expect(JSON.stringify(redaction.conversation(conversation))).not.toContain(text);
      redaction.renew();
    }
    expect(sending('another one').redaction.conversation(conversation)).toBe(conversation);
  });

  const adds = (text: string, entry = 0): PatchOperation => ({
    ...{ op: 'append', path: ['entries', entry, 'content', 0, 'text'], text },
  });
  const prints = (text: string, terminalId = 't'): PatchOperation => ({
    ...{ op: 'output', terminalId, remove: 0, text },
  });
  const titles = (value: string): PatchOperation => ({ op: 'set', path: ['info', 'title'], value });
  test.each<[boolean, string, ...(readonly PatchOperation[])]>([
    [true, 'is a new text', titles('The title of a book')],
    [false, 'is not the new text', titles('of a book')],
    [true, 'ends with an added text', adds(' or two')],
    [false, 'does not end with an added text', adds(' or three')],
    [false, 'goes on elsewhere', adds(' or two', 1)],
    [true, 'ends with an output', prints(' of it')],
    [false, 'does not end with an output', prints(' or it')],
    [false, 'goes on in another terminal', prints(' of it', 'u')],
    [true, 'is in one of two changes', adds('.'), prints(' of it')],
    [true, 'may be where the patch itself begins a text', adds('.', 2)],
    [false, 'is far behind', adds('.', 1)],
  ])('is in a patch: %s, if it %s', (isInIt, _, ...patch) => {
    const { redaction } = sending(
      'A question or two',
      'Some output of it',
      'The title of a book',
      'An answer',
    );
    expect(redaction.brings(conversation, patch)).toBe(isInIt);
    expect(sending().redaction.brings(conversation, patch)).toBe(false);
  });
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
