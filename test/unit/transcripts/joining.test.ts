import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { setCreated } from '../../../src/core/client/session/session-origin.ts';
import { headerLine, snapshotLine } from '../../../src/records/transcripts/format.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { cwd, outline } from '../../support/open-session.ts';
import { all, said, storeSession } from '../../support/recorded-stores.ts';

async function listed(storage: TranscriptStorage) {
  const transcripts = await openTranscripts({ storage });
  const found: Record<string, readonly string[]> = {};
  for await (const { id } of transcripts.list({ cwd })) found[id] = outline(await transcripts.read(id));
  return found;
}

test('two sessions with one id that begin in one millisecond have a transcript each', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
  onTestFinished(() => void vi.useRealTimers());
  const storage = memoryStorage();
  // Both look for records before one is written.
  const reads: (() => void)[] = [];
  const read = async (id: string) => {
    if (reads.length < 2) await new Promise<void>((resolve) => reads.push(resolve));
    return storage.read(id);
  };
  const remove = vi.fn(storage.remove);
  const transcripts = await openTranscripts({ storage: { ...storage, read, remove } });
  const sessions = ['In one.', 'In the other.'].map((text) => ({ text, ...storeSession('1', { cwd }) }));
  for (const { session, apply, text } of sessions) {
    setCreated(session);
    await apply(said('user', text));
    transcripts.record(session);
  }
  await eventually(() => reads.length).toBe(2);
  for (const resolve of reads) resolve();
  await eventually(async () => (await storage.read('1')).length).toBe(2);
  const found = await listed(storage);
  expect(Object.values(found).sort()).toEqual([['user: In one.'], ['user: In the other.']]);
  const [id = ''] = Object.keys(found).filter((each) => each !== '1');
  expect(id).toMatch(/^1 \(2026-01-02T00:00:00.000Z [0-9a-f]{8}\)$/);
  // Later programs write records under the other id.
  for (const records of ['', '3', '34']) {
    for (const digit of records) await storeOld(storage, digit, { id, creation: id.slice(3, -1) });
    const hits = await all(transcripts.search('in', { cwd }));
    expect(hits.map((hit) => hit.id).sort()).toEqual(['1', id]);
  }
  await storage.remove(id);
  expect(await transcripts.prune({ keep: 0 })).toEqual([]);
  await transcripts.remove('1');
  expect(await storage.read('1')).toHaveLength(1);
  for (const { apply } of sessions) await apply(said('agent', 'More.'));
  await transcripts.close();
  // The id that a program has kept stays the one of this session.
  expect(outline(await transcripts.read(id))).toEqual([...(found[id] ?? []), 'agent: More.']);
  await transcripts.remove(id);
  expect(remove).toHaveBeenLastCalledWith(id);
  expect(await listed(storage)).toEqual({});
});

/** Stores a record with one message, of a program that was killed. */
async function storeOld(
  storage: TranscriptStorage,
  digit: string,
  { id = 's1', creation, origin = 'live' }: { id?: string; creation?: string; origin?: 'live' | 'replay' },
) {
  const updatedAt = '2026-01-01T00:00:00.000Z';
  const info = { id, creation, writer: digit.repeat(32), version: 1, sessionId: 's1', agent: null, cwd };
  const line = { ...info, title: null, updatedAt };
  const process = { host: hostname(), pid: 2 ** 31 - 2, thread: threadId };
  const header = headerLine({ ...line, createdAt: updatedAt, process, includes: [''] });
  const conversation = foldUpdates(emptyConversation('s1'), [said('user', 'One.')], { origin });
  const lines = header + snapshotLine(line, JSON.stringify(conversation));
  await storage.append({ info: line, mode: 'replace', lines });
}

test('an answer that goes on in one window while another one opens the session is there once, beside an earlier session with its id', async () => {
  const storage = memoryStorage();
  const transcripts = await openTranscripts({ storage });
  const first = storeSession('s1', { cwd });
  setCreated(first.session);
  await first.apply(said('user', 'Q'), said('agent', 'N'));
  const stop = transcripts.record(first.session);
  await eventually(async () => (await storage.read('s1')).length).toBe(1);
  await storeOld(storage, '1', { creation: '2026-01-01T00:00:00.000Z 1' });
  const id = (await all(transcripts.list())).map((info) => info.id).find((each) => each !== 's1') ?? '';
  const { connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent
        .on('session/load', refuses(-32002, 'No such session'))
        .on('session/resume', {})
        .on('session/prompt', { stopReason: 'end_turn' }),
  });
  const { session } = await transcripts.reopen(id, connection);
  await first.apply(said('agent', 'o.'));
  await eventually(async () => outline(await transcripts.read(id))).toEqual(['user: Q', 'agent: No.']);
  await session?.prompt('And then?');
  if (session) await transcripts.record(session)();
  const whole = ['user: Q', 'agent: No.', 'user: And then?'];
  expect(outline(await transcripts.read(id))).toEqual(whole);
  await stop();
  expect(outline(await transcripts.read(id))).toEqual(whole);
});

describe('two records of a session', () => {
  test.each([
    ['have the plan that a replay lacks', 'never', 1],
    ['do not have a plan that was removed', 'behind', 0],
    ['do not have a plan that was removed before the first message', 'before', 0],
  ] as const)('%s', async (_, when, count) => {
    const plan = {
      sessionUpdate: 'plan_update',
      plan: { type: 'markdown', planId: 'p', content: 'Look' },
    } as const;
    const storage = memoryStorage();
    const transcripts = await openTranscripts({ storage });
    const first = storeSession('s1');
    await first.apply(said('user', 'Q', 'm1'), said('agent', 'A', 'm2'), plan);
    await transcripts.record(first.session)();
    // The agent replays a part of the session, so that both records stay.
    const { session, store, apply } = storeSession('s1');
    if (when !== 'before') store.apply(said('user', 'Q', 'm1'), 'replay');
    if (when !== 'never') store.apply(plan, 'replay');
    const stop = transcripts.record(session);
    // Memory needs no turn of the event loop.
    await new Promise(setImmediate);
    if (when !== 'never') await apply({ sessionUpdate: 'plan_removed', planId: 'p' });
    if (when === 'before') store.apply(said('user', 'Q', 'm1'), 'replay');
    await apply(said('user', 'Next', 'm3'));
    await stop();
    const { plans, entries } = await transcripts.read('s1');
    expect(plans).toHaveLength(count);
    expect(entries).toHaveLength(3);
  });

  test('stay two while both are written, and what neither can remove is read once, and removed later', async () => {
    const inner = memoryStorage();
    let isReadOnly = true;
    const remove = async (id: string, writers?: readonly string[]) => {
      if (isReadOnly) throw new Error('EACCES');
      await inner.remove(id, writers);
    };
    const storage = { ...inner, remove };
    const transcripts = await openTranscripts({ storage });
    const first = storeSession('s1');
    await first.apply(said('user', 'One.'));
    const stop = transcripts.record(first.session);
    await eventually(async () => (await storage.read('s1')).length).toBe(1);
    const other = await openTranscripts({ storage });
    const second = storeSession('s1', { conversation: await other.read('s1') });
    await second.apply(said('agent', 'Two.'));
    await other.record(second.session)();
    const texts = async () => (await storage.read('s1')).map(({ text }) => text);
    expect((await texts()).some((text) => /"includes":\["/.test(text))).toBe(false);
    await first.apply(said('agent', 'Three.'));
    await stop();
    expect((await texts()).length).toBe(2);
    expect([...outline(await transcripts.read('s1'))].sort()).toEqual([
      'agent: Three.',
      'agent: Two.',
      'user: One.',
    ]);
    isReadOnly = false;
    const third = storeSession('s1', { conversation: await transcripts.read('s1') });
    await transcripts.record(third.session)();
    expect(await texts()).toHaveLength(1);
  });

  test('have what one wrote and ended while the other one had read it already', async () => {
    const inner = memoryStorage();
    const first = storeSession('s1');
    await first.apply(said('user', 'One.'));
    const one = await openTranscripts({ storage: inner });
    const stop = one.record(first.session);
    await eventually(async () => (await inner.read('s1')).length).toBe(1);
    // The other one looks for its id, and then for what it can take over.
    let reads = 0;
    const read = async (id: string) => {
      const stored = await inner.read(id);
      if (++reads === 2) {
        await first.apply(said('agent', 'Two.'));
        await stop();
      }
      return stored;
    };
    const other = await openTranscripts({ storage: { ...inner, read } });
    const second = storeSession('s1', { conversation: await one.read('s1') });
    await second.apply(said('agent', 'Three.'));
    await other.record(second.session)();
    expect(await inner.read('s1')).toHaveLength(1);
    expect(outline(await one.read('s1'))).toEqual(['user: One.', 'agent: Two.', 'agent: Three.']);
  });

  test('have what the user said in each of them in the same words, and what another program replays once', async () => {
    const storage = memoryStorage();
    const transcripts = await openTranscripts({ storage });
    const begin = async (id: string, count: number, before: readonly string[] = []) => {
      const { session, apply } = storeSession(id);
      for (const text of before) await apply(said('user', text));
      const stop = transcripts.record(session);
      if (before.length === 0) await apply(said('user', 'One.'));
      await eventually(async () => (await storage.read(id)).length).toBe(count);
      return { apply, stop };
    };
    for (const { apply, stop } of [await begin('s1', 1, ['One.']), await begin('s1', 2)]) {
      await apply(said('agent', 'Yes.'));
      await stop();
      const shown = outline(await transcripts.read('s1'));
      expect(shown.filter((line) => line === 'user: One.')).toHaveLength(2);
    }
    const { stop } = await begin('s2', 1);
    // Its program was killed.
    await storeOld(storage, '1', { id: 's2', origin: 'replay' });
    await stop();
    expect(outline(await transcripts.read('s2'))).toEqual(['user: One.']);
  });

  test.each([['other'], ['first']])(
    'are one when both have ended, %s first, with what was changed later',
    async (end) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
      onTestFinished(() => void vi.useRealTimers());
      const storage = memoryStorage();
      const transcripts = await openTranscripts({ storage });
      const call = (title: string) =>
        ({ sessionUpdate: 'tool_call_update', toolCallId: 't', title, status: 'in_progress' }) as const;
      const first = storeSession('s1');
      await first.apply(said('user', 'One.'), call(end === 'first' ? 'New' : 'Old'));
      const stop = transcripts.record(first.session);
      await eventually(async () => (await storage.read('s1')).length).toBe(1);
      vi.setSystemTime(Date.now() + 1000);
      const other = storeSession('s1', { conversation: first.store.getSnapshot() });
      const stopOther = transcripts.record(other.session);
      await eventually(async () => (await storage.read('s1')).length).toBe(2);
      vi.setSystemTime(Date.now() + 1000);
      if (end === 'first') await stop();
      else await first.apply(call('New'));
      await stopOther();
      await stop();
      expect(await storage.read('s1')).toHaveLength(1);
      expect((await transcripts.read('s1')).entries).toMatchObject([{ role: 'user' }, { title: 'New' }]);
    },
  );
});
