import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConversationUpdate } from '../../src/core/model/update.ts';
import { memoryStorage } from '../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../src/records/transcripts/open-transcripts.ts';
import { diskFaults, play } from '../faults/transcripts/sweep.ts';
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
