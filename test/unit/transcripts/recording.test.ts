import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, outline } from '../../support/open-session.ts';
import { all, openIn, said, storeSession } from '../../support/recorded-stores.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const records = (directory: string) => readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
const linesOf = (directory: string) =>
  records(directory).map((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n'));

describe('a recording', () => {
  test('is one file of lines of JSON: a header, a conversation, the changes, the end', async () => {
    const directory = temporaryFolder();
    const transcripts = await openIn(directory);
    const { session, apply } = storeSession('s1', { cwd });
    await apply(said('user', 'A long question. '.repeat(100)));
    const stop = transcripts.record(session);
    await eventually(() => records(directory).length).toBe(1);
    await apply(said('agent', 'An answer.'));
    await eventually(() => linesOf(directory)[0]?.length).toBe(3);
    const [header = '', snapshot = '', patch = ''] = linesOf(directory)[0] ?? [];
    expect(JSON.parse(header)).toMatchObject({ format: 'acp-client-transcript', version: 2, id: 's1', cwd });
    expect(JSON.parse(snapshot)).toMatchObject({
      snapshot: { sessionId: 's1', entries: [{ role: 'user' }] },
    });
    expect(JSON.parse(patch)).toMatchObject({ patch: [{ op: 'splice', path: ['entries'] }] });
    expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
    await stop();
    const ended = linesOf(directory)[0] ?? [];
    expect(ended).toHaveLength(3);
    expect(JSON.parse(ended[2] ?? '')).toMatchObject({ ended: true });
    expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
  });

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
    const { session, apply } = storeSession('s1', { cwd });
    await apply(said('user', 'A question.'));
    await transcripts.record(session)();
    // Opened again, by an agent that replays nothing.
    const opened = storeSession('s1', { cwd });
    for (const begin of ['before', 'after'] as const) {
      const recorded = begin === 'before' ? transcripts.record(opened.session) : undefined;
      const pruned = transcripts.prune({ keep: 0 });
      const stop = recorded ?? transcripts.record(opened.session);
      expect(await pruned).toEqual([]);
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
  const transcripts = await openTranscripts({ storage: memoryStorage() });
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
});

describe('a recording whose disk is full', () => {
  /** A storage that can be full, and what it was asked to write. */
  async function onDisk() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = memoryStorage();
    const disk = { isFull: false, tries: 0 };
    const append: TranscriptStorage['append'] = (batch) => {
      disk.tries++;
      return disk.isFull ? Promise.reject(new Error('ENOSPC: no space in /a.b.')) : storage.append(batch);
    };
    const told: string[] = [];
    const transcripts = await openTranscripts({
      storage: { ...storage, append },
      onDiagnostic: ({ rule, message }) => told.push(`${rule}: ${message}`),
    });
    const { session, apply } = storeSession('s1');
    await apply(said('user', 'Hello. '.repeat(100)));
    const stop = transcripts.record(session);
    await vi.advanceTimersByTimeAsync(0);
    return { disk, told, transcripts, session, apply, stop };
  }
  const tried = expect.stringMatching(
    /^transcripts\.not_written: .*"s1" could not be written: ENOSPC: no space in \/a\.b\. The .*tries again until/,
  );
  const lost = expect.stringMatching(/^transcripts\.not_written: .*The last changes are not in it\.$/);

  test('says so once each time, also the second time, and then has everything', async () => {
    const { disk, told, transcripts, session, apply, stop } = await onDisk();
    for (const times of [1, 2]) {
      disk.isFull = true;
      for (const text of ['One.', 'Two.']) {
        await apply(said('agent', text));
        await vi.advanceTimersByTimeAsync(5000);
      }
      expect(told).toEqual(Array(times).fill(tried));
      disk.isFull = false;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await transcripts.read('s1')).toEqual(session.store.getSnapshot());
    }
    await stop();
    expect(told).toHaveLength(2);
  });

  test('tries again after 30 seconds at the latest, however long it was full', async () => {
    const { disk, apply } = await onDisk();
    disk.isFull = true;
    await apply(said('agent', 'One.'));
    await vi.advanceTimersByTimeAsync(3_600_000);
    const { tries } = disk;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(disk.tries - tries).toBe(4);
  });

  test.each(['stop', 'close'] as const)(
    'says what is lost before `%s` resolves, also if it has said that it tries again',
    async (end) => {
      const { disk, told, transcripts, apply, stop } = await onDisk();
      disk.isFull = true;
      await apply(said('agent', 'One.'));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(told).toEqual([tried]);
      await (end === 'stop' ? stop() : transcripts.close());
      expect(told).toEqual([tried, lost]);
    },
  );
});

test.each(['is due', 'is written', 'fails'])(
  'a recording whose transcript is removed while a batch %s ends, and the others go on',
  async (state) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const [storage, removal] = [memoryStorage(), deferred<void>()];
    let isHeld = state !== 'is due';
    const append: TranscriptStorage['append'] = async (batch) => {
      if (isHeld && batch.info.id === 's1') {
        await removal.promise;
        if (state === 'fails') throw new Error('EIO');
      }
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
    const message = 'There is no transcript "s1". `list` has the ids of those that exist.';
    await expect(transcripts.read('s1')).rejects.toThrow(message);
    for (const { session, store } of sessions) {
      await transcripts.record(session)();
      expect(await transcripts.read(session.sessionId)).toEqual(store.getSnapshot());
    }
    expect(told).toEqual([]);
  },
);
