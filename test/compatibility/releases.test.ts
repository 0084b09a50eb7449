import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { importConversation } from '../../src/records/saved/import.ts';
import { readTranscriptFile } from '../../src/records/transcripts/transcript-file.ts';
import { dialectNames, everything } from '../support/agents.ts';
import { connectFlushable, cwd } from '../support/open-session.ts';
import { accepted, isAccepted, readRelease, versions } from './releases.ts';

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.each(versions.map((version) => ({ version, release: readRelease(version) })))(
  'release $version',
  ({ version, release }) => {
    const recordings = release.recordings.filter(({ name }) => !isAccepted(version, name));

    test('has programs, recordings and conversations', () => {
      expect(Object.keys(release.programs).length).toBeGreaterThan(40);
      expect(recordings.length).toBeGreaterThan(3);
      expect(recordings.every(({ conversations }) => conversations.length > 0)).toBe(true);
    });

    // New fields can come. What was there must stay, with its value.
    test.each(recordings)(
      'has the recording $name, which still folds to the same conversations',
      async (recorded) => {
        const { sessions } = await foldTraffic(recorded.traffic);
        expect(sessions.length).toBe(recorded.conversations.length);
        // `importConversation` gives a saved conversation the form of today.
        expect(asJson(sessions.map(({ conversation }) => conversation))).toMatchObject(
          recorded.conversations.map(importConversation),
        );
      },
    );

    test.each(recordings.filter(({ transcripts }) => transcripts.length > 0))(
      'has the transcripts of $name, which still open',
      ({ transcripts, conversations }) => {
        const read = transcripts.map(({ file, text }) => readTranscriptFile(text, file));
        const bySession = new Map(read.map((transcript) => [transcript?.sessionId, transcript]));
        expect(bySession.size).toBe(conversations.length);
        for (const saved of conversations.map(importConversation)) {
          const transcript = bySession.get(saved.sessionId);
          expect(transcript).toMatchObject({ isDamaged: false });
          expect(asJson(transcript?.conversation)).toMatchObject(asJson(saved));
        }
      },
    );

    test.each(recordings)(
      'has the conversations of $name, which a session still continues',
      async (recorded) => {
        const dialect = dialectNames.find((name) => recorded.name.endsWith(name)) ?? 'v1';
        const { connection } = await connectFlushable(everything[dialect], {
          script: (agent) => agent.on('session/resume', {}),
        });
        for (const saved of recorded.conversations) {
          // A saved conversation is JSON to the compiler. `resumeSession` checks it.
          const conversation = saved as unknown as Conversation;
          const params = { sessionId: conversation.sessionId, cwd };
          const session = await connection.resumeSession(params, { conversation });
          const { entries, terminals, plans } = importConversation(saved);
          expect(asJson(session.conversation.entries)).toMatchObject(entries);
          expect(asJson(session.conversation.terminals)).toMatchObject(terminals);
          expect(asJson(session.conversation.plans)).toMatchObject(plans);
        }
      },
    );
  },
);

test('each accepted difference is one of a release that is kept', () => {
  expect(Object.keys(accepted).filter((key) => !versions.includes(key.split('/')[0] ?? ''))).toEqual([]);
});
