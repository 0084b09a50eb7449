import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConversationUpdate } from '../../src/core/model/update.ts';
import { memoryStorage } from '../../src/records/transcripts/memory-storage.ts';

import { openTranscripts } from '../../src/records/transcripts/open-transcripts.ts';
import { searchConversation } from '../../src/records/transcripts/search.ts';
import { searchPattern, transcriptWords } from '../../src/records/transcripts/words.ts';
import { diskFaults } from '../faults/transcripts/cases.ts';
import { play } from '../faults/transcripts/sweep.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { mergeConversations } from '../support/merged-recordings.ts';
import { said, storeSession } from '../support/recorded-stores.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const batches = fc.array(fc.array(anyUpdate, { maxLength: 10 }), { maxLength: 6 });

describe('a recording', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => vi.useRealTimers());

  test('has what the session shows at each batch, for any updates', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const transcripts = await openTranscripts({ storage: memoryStorage() });
        const { session, apply } = storeSession('s');
        await apply(said('user', 'Begin.', 'first'));
        const stop = transcripts.record(session);
        for (const updates of all) {
          // The store takes also those that only the client makes.
          await apply(...(updates as readonly ConversationUpdate[]));
          vi.advanceTimersByTime(100);
          await new Promise(setImmediate);
          const live = session.store.getSnapshot();
          if (live.entries.length > 0) expect(await transcripts.read('s')).toEqual(live);
        }
        await stop();
      }),
      { numRuns: runs(60) },
    );
  });

  test('loses no batch that was written, at a sample of the faults of a disk', async () => {
    const directory = temporaryFolder();
    const problems: unknown[] = [];
    for (const [index, fault] of diskFaults.entries()) {
      const { wrong } = await play({ seed: index, at: 2 + (index % 7), fault }, directory);
      if (wrong.length > 0) problems.push({ index, fault, wrong });
    }
    expect(problems).toEqual([]);
  });
});

describe('two recordings of a session', () => {
  const conversation = fc
    .array(anyUpdate, { maxLength: 30 })
    .map((updates) => foldUpdates(emptyConversation('s'), updates));

  test('of which one is a replay of the other one are the replay', () => {
    fc.assert(
      fc.property(conversation, (older) => {
        const entries = older.entries.map((entry) => ({ ...entry, origin: 'replay' as const }));
        const replay = { ...older, entries };
        expect(mergeConversations(older, replay)).toBe(replay);
      }),
    );
  });
});

describe('the words of a text', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aBß Σσς_İıſK1年あ한é\u0301-/.'), maxLength: 12 });

  test('have each word of a search that finds something in it', () => {
    fc.assert(
      fc.property(text, text, text, (before, found, after) => {
        const whole = `${before} ${found}${after}`;
        const pattern = searchPattern(found);
        fc.pre(pattern !== undefined);
        const conversation = foldUpdates(emptyConversation('s'), [said('user', whole)]);
        const hits = [...searchConversation('s', conversation, pattern)];
        fc.pre(hits.length > 0);
        const words = [...transcriptWords(whole)];
        const last = pattern.words.length - 1;
        const missing = pattern.words.filter((word, index) =>
          index === last ? !words.some((one) => one.startsWith(word)) : !words.includes(word),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('are the same in each case that a search compares as equal', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x3000; code++) {
      const character = String.fromCharCode(code);
      const [word] = transcriptWords(character);
      if (word === undefined) continue;
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        if (!new RegExp(`^${character}$`, 'iu').test(other)) continue;
        if (![...transcriptWords(other)].includes(word)) wrong.push(character);
      }
    }
    expect(wrong).toEqual([]);
  });
});
