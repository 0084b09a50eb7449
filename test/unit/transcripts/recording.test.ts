import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { setCreated } from '../../../src/core/client/session/session-origin.ts';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { RecordBatch, TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, outline } from '../../support/open-session.ts';
import { all, openIn, type StoreSession, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const records = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
const linesOf = (directory: string) =>
  records(directory).map((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n'));

describe('a recording', () => {
  test.each(['stop', 'close', 'stop, then close'])(
    'begins again while one still writes, until %s',
    async (end) => {
      const directory = temporaryFolder();
      const transcripts = await openIn(directory);
      const { session, apply } = storeSession('s1', { cwd });
      await apply(said('user', 'A question.'));
      const stopped = transcripts.record(session)();
      transcripts.record(session);
      const stop = transcripts.record(session);
      await stopped;
      await apply(said('agent', 'An answer.'));
      const isStopped = end === 'close' ? undefined : stop();
      await (end === 'stop' ? isStopped : transcripts[Symbol.asyncDispose]());
      const reader = await openIn(directory);
      expect(await reader.read('s1')).toEqual(session.store.getSnapshot());
      expect(linesOf(directory).map((lines) => lines.at(-1)?.includes('"ended":true'))).toEqual([true]);
    },
  );

  test('keeps its transcript from prune, also when both begin at the same time', async () => {
    const transcripts = await openIn(temporaryFolder());
    const save = async (id: string) => {
      const { session, apply } = storeSession(id, { cwd });
      await apply(said('user', 'A question.'));
      return transcripts.record(session);
    };
    await (await save('s1'))();
    // Opened again, by an agent that replays nothing.
    const opened = storeSession('s1', { cwd });
    transcripts.record(storeSession('unused').session);
    await save('s3');
    for (const begin of ['before', 'after'] as const) {
      await (await save('s2'))();
      const recorded = begin === 'before' ? transcripts.record(opened.session) : undefined;
      const pruned = transcripts.prune({ keep: 0 });
      const stop = recorded ?? transcripts.record(opened.session);
      expect(await pruned).toEqual(['s2']);
      await stop();
    }
    expect(await transcripts.read('s1')).toMatchObject({ entries: [{ role: 'user' }] });
  });

  test('is never more than twice as long as its conversation, and all that is written is a few times as long as the changes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = memoryStorage();
    const written = { append: 0, replace: 0 };
    const append: TranscriptStorage['append'] = (batch) => {
      written[batch.mode] += batch.lines.length;
      return storage.append(batch);
    };
    const transcripts = await openTranscripts({ storage: { ...storage, append } });
    const { session, apply } = storeSession('s1');
    await apply(said('user', 'Count.'));
    const stop = transcripts.record(session);
    const ratios: number[] = [];
    for (let count = 0; count < 200; count++) {
      await apply(said('agent', `${count} `.repeat(1 + (count % 5))));
      await vi.advanceTimersByTimeAsync(100);
      const live = session.store.getSnapshot();
      expect(await transcripts.read('s1')).toEqual(live);
      const [record] = await storage.read('s1');
      ratios.push((record?.text.length ?? 0) / JSON.stringify(live).length);
    }
    await stop();
    expect(Math.max(...ratios)).toBeLessThanOrEqual(2);
    expect(written.replace).toBeLessThan(4 * written.append);
  });

  test('makes its directory again each time it is removed, with everything so far, also for the last batch', async () => {
    const directory = join(temporaryFolder(), 'above', 'transcripts');
    const told: string[] = [];
    const transcripts = await openTranscripts({ directory, onDiagnostic: ({ rule }) => told.push(rule) });
    const { session, apply } = storeSession('s1');
    await apply(said('user', 'Hello.'));
    const stop = transcripts.record(session);
    await eventually(() => records(directory).length).toBe(1);
    for (const text of ['One.', 'Two.']) {
      rmSync(join(directory, '..'), { recursive: true });
      await apply(said('agent', text));
      await eventually(() => transcripts.read('s1').catch(() => undefined)).toEqual(
        session.store.getSnapshot(),
      );
    }
    rmSync(directory, { recursive: true });
    await apply(said('agent', 'Three.'));
    await stop();
    expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
    // Only this user can read them.
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of records(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(told).toEqual([]);
    await transcripts.close();
  });

  test('keeps what was shown before the session was loaded again with less, each time', async () => {
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    const { session, store, apply } = storeSession('s1');
    await apply(said('user', 'A question.'), said('agent', 'An answer.'));
    const stop = transcripts.record(session);
    for (const round of [1, 2]) {
      store.reset(emptyConversation('s1'));
      await Promise.resolve();
      await apply(said('user', `After ${round}.`));
    }
    await stop();
    expect(outline(await transcripts.read('s1'))).toEqual([
      'user: A question.',
      'agent: An answer.',
      'user: After 1.',
      'user: After 2.',
    ]);
  });
});

test('a session that was not used has no transcript, and then one with the time of its last message or output', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const told: unknown[] = [];
  const onDiagnostic = (diagnostic: unknown) => told.push(diagnostic);
  const transcripts = await openTranscripts({ storage: memoryStorage(), onDiagnostic });
  const { session, apply } = storeSession('s1');
  await transcripts.record(session)();
  expect(await all(transcripts.list())).toEqual([]);
  await apply(said('user', 'One.'));
  const printed = { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: 'YQ==' } as const;
  const used = { sessionUpdate: 'usage_update', used: 1, size: 2 } as const;
  const times: (string | undefined)[] = [];
  for (const update of [said('agent', 'Two.'), printed, used]) {
    const stop = transcripts.record(session);
    vi.setSystemTime(Date.now() + 60_000);
    await apply(update);
    await stop();
    times.push((await all(transcripts.list()))[0]?.updatedAt.slice(11, 16));
  }
  expect(times).toEqual(['00:01', '00:02', '00:02']);
  expect(told).toEqual([]);
});

describe('a recording whose disk is slow or full', () => {
  /** A storage that can be slow or full, and what it was asked to do. */
  async function onDisk() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const storage = memoryStorage();
    const batches: (RecordBatch & { readonly ms: number })[] = [];
    const disk = { fails: 0, delayMs: 0, batches, removed: [] as unknown[] };
    const append: TranscriptStorage['append'] = async (batch) => {
      disk.batches.push({ ...batch, ms: Date.now() });
      if (disk.fails-- > 0) throw new Error('ENOSPC: no space in /a.b.');
      await storage.append(batch);
      if (disk.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, disk.delayMs));
    };
    const remove: TranscriptStorage['remove'] = async (id, writers) => {
      disk.removed.push(writers);
      await storage.remove(id, writers);
    };
    const told: string[] = [];
    const transcripts = await openTranscripts({
      storage: { ...storage, append, remove },
      onDiagnostic: ({ rule, message }) => told.push(`${rule}: ${message}`),
    });
    const { session, apply } = storeSession('s1');
    const soon = { sessionUpdate: 'session_info_update', updatedAt: 'soon' } as const;
    await apply(said('user', 'Hello. '.repeat(400)), soon);
    const stop = transcripts.record(session);
    await vi.advanceTimersByTimeAsync(0);
    return { storage, disk, told, transcripts, session, apply, stop };
  }
  const tried = expect.stringMatching(
    /^transcripts\.not_written: .*"s1" could not be written: ENOSPC: no space in \/a\.b\. The .*tries again until/,
  );
  const lost = expect.stringMatching(/^transcripts\.not_written: .*The last changes are not in it\.$/);

  test('says so once each time, also the second time, and then has everything', async () => {
    const { disk, told, transcripts, session, apply, stop } = await onDisk();
    for (const times of [1, 2]) {
      disk.fails = Number.POSITIVE_INFINITY;
      for (const text of ['One.', 'Two.']) {
        await apply(said('agent', text));
        await vi.advanceTimersByTimeAsync(5000);
      }
      expect(told).toEqual(Array(times).fill(tried));
      disk.fails = 0;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
    }
    await stop();
    expect(told).toHaveLength(2);
  });

  test('tries again after 1, 2, 4 and more seconds, and at least each 30 seconds', async () => {
    const { disk, apply } = await onDisk();
    disk.fails = Number.POSITIVE_INFINITY;
    const begin = Date.now();
    await apply(said('agent', 'One.'));
    await vi.advanceTimersByTimeAsync(100_000);
    const seconds = disk.batches.slice(2).map(({ ms }) => (ms - begin) / 1000);
    expect(seconds).toEqual([0.1, 1.1, 3.1, 7.1, 15.1, 31.1, 61.1, 91.1]);
  });

  test('keeps the program from ending for a batch, and not for a disk that is full', async () => {
    const { disk, apply } = await onDisk();
    const start = globalThis.setTimeout;
    let last: ReturnType<typeof setTimeout> | undefined;
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
      last = start(run, ms);
      return last;
    });
    onTestFinished(() => void vi.unstubAllGlobals().useRealTimers());
    for (const fails of [0, 2]) {
      disk.fails = fails;
      await apply(said('agent', 'One.'));
      await vi.advanceTimersByTimeAsync(fails > 0 ? 100 : 0);
      expect(last?.hasRef()).toBe(fails === 0);
      await vi.advanceTimersByTimeAsync(1000);
    }
  });

  test.each([
    [0, [100, 200, 300, 400, 500]],
    [95, [100, 295, 490]],
  ])(
    'of which a batch takes %i ms has a batch a tenth of a second after the one before',
    async (ms, times) => {
      const { disk, transcripts, session, apply } = await onDisk();
      transcripts.record(storeSession('s2').session);
      disk.delayMs = ms;
      const begin = Date.now();
      for (let count = 0; count < 50; count++) {
        await apply(said('agent', 'One.'));
        await vi.advanceTimersByTimeAsync(10);
      }
      expect(disk.batches.slice(1).map((batch) => batch.ms - begin)).toEqual(times);
      await vi.advanceTimersByTimeAsync(1000);
      expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test.each(['stop', 'close'] as const)(
    'says what is lost before `%s` resolves, also if it has said that it tries again',
    async (end) => {
      const { storage, disk, told, transcripts, apply, stop } = await onDisk();
      disk.fails = Number.POSITIVE_INFINITY;
      await apply(said('agent', 'One.'));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(told).toEqual([tried]);
      await (end === 'stop' ? stop() : transcripts.close());
      expect(told).toEqual([tried, lost]);
      // What it left is a part of the next one.
      const again = storeSession('s1');
      await again.apply(said('user', 'Again.'));
      await (await openTranscripts({ storage })).record(again.session)();
      expect(await storage.read('s1')).toHaveLength(1);
    },
  );

  test('writes no more than it needs, also after a batch that failed, and says what it has of other records', async () => {
    const { disk, transcripts, ...one } = await onDisk();
    const change = async (apply: StoreSession['apply'], ...updates: readonly ConversationUpdate[]) => {
      await vi.advanceTimersByTimeAsync(900);
      for (const update of updates) await apply(update);
      await vi.advanceTimersByTimeAsync(100);
    };
    const uses = (used: number) => ({ sessionUpdate: 'usage_update', used, size: 3 }) as const;
    await change(one.apply, uses(1));
    transcripts.record(one.session);
    await change(one.apply, uses(2), uses(1));
    disk.fails = 1;
    await change(one.apply, said('agent', 'One.'));
    await one.stop();
    const two = storeSession('s1', { conversation: one.session.store.getSnapshot() });
    const stopTwo = transcripts.record(two.session);
    await vi.advanceTimersByTimeAsync(0);
    disk.fails = 1;
    await change(two.apply, said('agent', ' Two.'));
    await stopTwo();
    const three = storeSession('s1');
    const stopThree = transcripts.record(three.session);
    await change(three.apply, said('user', 'Three.'));
    await stopThree();
    const written = disk.batches.map(({ mode, lines }) => {
      const short = lines
        .replaceAll(/2026-01-01T00:00:0(\d\.\d)00Z/g, '$1')
        .trimEnd()
        .split('\n');
      const shown = short.map((line) => {
        const { updatedAt, patch, snapshot, origins, seen, hadPlans, ended, ...header } = JSON.parse(line);
        const { writer, createdAt, firstAt, includes } = header;
        const begin = writer ? { writer, createdAt, firstAt, includes } : { origins, seen, hadPlans, ended };
        return { updatedAt, ...begin, patch: patch?.length, entries: snapshot?.entries.length };
      });
      return [mode, ...shown];
    });
    const writers = [...new Set(disk.batches.map(({ info }) => info.writer))];
    const named = (value: unknown) =>
      writers
        .reduce((text, writer, index) => text.replaceAll(writer, `w${index + 1}`), JSON.stringify(value))
        .replaceAll('"', '');
    expect(written.map(named)).toEqual([
      '[replace,{updatedAt:0.0,writer:w1,createdAt:0.0,includes:[]},{updatedAt:0.0,entries:1}]',
      '[append,{updatedAt:0.0,patch:1}]',
      '[append,{updatedAt:2.9,patch:1}]',
      '[replace,{updatedAt:2.9,writer:w2,createdAt:0.0,includes:[w1]},{updatedAt:2.9,origins:{w1:[user#0,agent#1]},entries:2}]',
      '[append,{updatedAt:2.9,ended:true}]',
      '[replace,{updatedAt:2.9,writer:w3,createdAt:3.0,firstAt:0.0,includes:[w2]},{updatedAt:2.9,origins:{w1:[user#0,agent#1]},entries:2}]',
      '[append,{updatedAt:3.9,patch:1}]',
      '[replace,{updatedAt:3.9,writer:w4,createdAt:3.0,firstAt:0.0,includes:[w3]},{updatedAt:3.9,origins:{w1:[user#0,agent#1]},entries:2}]',
      '[append,{updatedAt:3.9,ended:true}]',
      '[replace,{updatedAt:4.9,writer:w5,createdAt:5.0,includes:[]},{updatedAt:4.9,seen:{w4:2},entries:1}]',
      '[replace,{updatedAt:4.9,writer:w5,createdAt:5.0,firstAt:0.0,includes:[w4]},{updatedAt:4.9,origins:{w1:[[user#0~2,user#0],agent#1]},seen:{w4:2},entries:3},{updatedAt:4.9,ended:true}]',
    ]);
    expect(named(disk.removed)).toBe('[[w1],[w2],[w3],[w4]]');
  });
});

test.each(['is due', 'is written', 'fails'])(
  'a recording whose transcript is removed while a batch %s ends, and the others go on',
  async (state) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const [storage, removal] = [memoryStorage(), deferred<void>()];
    let isHeld = state !== 'is due';
    const append: TranscriptStorage['append'] = async (batch) => {
      if (isHeld) await removal.promise;
      if (isHeld && state === 'fails' && batch.info.id === 's1') throw new Error('EIO');
      await storage.append(batch);
    };
    const told: unknown[] = [];
    const onDiagnostic = (diagnostic: unknown) => told.push(diagnostic);
    const transcripts = await openTranscripts({ storage: { ...storage, append }, onDiagnostic });
    const sessions = ['s1', 's2'].map((id) => storeSession(id));
    const say = async (text: string) => {
      for (const { apply } of sessions) await apply(said('user', text));
    };
    await say('One.');
    for (const { session } of sessions) transcripts.record(session);
    await vi.advanceTimersByTimeAsync(0);
    await say(' Two.');
    const removed = transcripts.remove('s1');
    removal.resolve();
    await removed;
    isHeld = false;
    await say(' Three.');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await all(transcripts.list())).toMatchObject([{ id: 's2' }]);
    expect(await transcripts.read('s2')).toEqual(sessions[1]?.store.getSnapshot());
    const message = 'There is no transcript "s1". `list` has the ids of those that exist.';
    await expect(transcripts.read('s1')).rejects.toThrow(message);
    for (const { session, store } of sessions) {
      await transcripts.record(session)();
      expect(await transcripts.read(session.sessionId)).toEqual(store.getSnapshot());
    }
    expect(told).toEqual([]);
  },
);

/** Transcripts whose batches wait for `written`. `begun` resolves with the first one. */
async function heldTranscripts(storage: TranscriptStorage) {
  const [begun, written] = [deferred<void>(), deferred<void>()];
  const append: TranscriptStorage['append'] = async (batch) => {
    begun.resolve();
    await written.promise;
    await storage.append(batch);
  };
  return { transcripts: await openTranscripts({ storage: { ...storage, append } }), begun, written };
}

test('a recording that is stopped while a batch is written has one more batch', async () => {
  const { transcripts, begun, written } = await heldTranscripts(memoryStorage());
  const { session, store, apply } = storeSession('s1');
  await apply(said('user', 'One.'));
  const stop = transcripts.record(session);
  await begun.promise;
  await apply(said('agent', 'Two.'));
  const stopped = stop();
  written.resolve();
  await stopped;
  expect(await transcripts.read('s1')).toEqual(store.getSnapshot());
});

test('a recording ends whose transcript is removed, also if another program has a record of it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = memoryStorage();
  const [transcripts, others] = [await openTranscripts({ storage }), await openTranscripts({ storage })];
  const { session, apply } = storeSession('s1');
  await apply(said('user', 'One.'));
  transcripts.record(session);
  await vi.advanceTimersByTimeAsync(0);
  await others.record(session)();
  expect(await all(storage.list())).toHaveLength(2);
  await transcripts.remove('s1');
  await apply(said('agent', 'Two.'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await all(transcripts.list())).toEqual([]);
});

test('a recording goes on when the transcript of an earlier session with its id is removed', async () => {
  const storage = memoryStorage();
  const earlier = await openTranscripts({ storage });
  const first = storeSession('s1');
  await first.apply(said('user', 'One.'));
  await earlier.record(first.session)();
  const { transcripts, begun, written } = await heldTranscripts(storage);
  const { session, store, apply } = storeSession('s1');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
  onTestFinished(() => void vi.useRealTimers());
  setCreated(session);
  await apply(said('user', 'Two.'));
  const stop = transcripts.record(session);
  await begun.promise;
  const removed = transcripts.remove('s1');
  await apply(said('agent', 'Three.'));
  written.resolve();
  await removed;
  await stop();
  const [{ id } = { id: '' }, ...more] = await all(transcripts.list());
  expect([id, more]).toEqual([expect.stringMatching(/^s1 \(/), []]);
  expect(await transcripts.read(id)).toEqual(store.getSnapshot());
});
