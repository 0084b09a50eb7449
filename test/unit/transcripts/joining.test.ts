import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { setCreated } from '../../../src/core/client/session/session-origin.ts';
import { terminalIdsOf } from '../../../src/core/conversation/entry-index.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { absorb } from '../../../src/records/transcripts/absorb.ts';
import { endLine, headerLine, snapshotLine } from '../../../src/records/transcripts/format.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import { wholeOfRecords } from '../../../src/records/transcripts/whole.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { recordOf } from '../../support/merged-recordings.ts';
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
  for (const { apply } of sessions) await apply(said('agent', 'More.'));
  await transcripts.close();
  // The id that a program has kept stays the one of this session.
  expect(outline(await transcripts.read(id))).toEqual([...(found[id] ?? []), 'agent: More.']);
  await transcripts.remove(id);
  expect(remove).toHaveBeenLastCalledWith(id);
  expect(await listed(storage)).toEqual({});
});

interface Old {
  readonly id?: string;
  readonly creation?: string | undefined;
  readonly origin?: 'live' | 'replay';
  readonly isEnded?: boolean;
  readonly includes?: readonly string[];
  readonly host?: string;
  readonly pid?: number;
  readonly thread?: number;
}

/** Stores a record of an earlier release, which has one message. */
async function storeOld(
  storage: TranscriptStorage,
  digit: string,
  { id = 's1', creation, origin = 'live', isEnded, includes = [''], ...program }: Old = {},
) {
  const updatedAt = '2026-01-01T00:00:00.000Z';
  const info = { id, creation, writer: digit.repeat(32), version: 1, sessionId: 's1', agent: null, cwd };
  const line = { ...info, title: null, updatedAt };
  const process = { host: hostname(), pid: 2 ** 31 - 2, thread: threadId, ...program };
  const header = headerLine({ ...line, createdAt: updatedAt, process, includes });
  const conversation = foldUpdates(emptyConversation('s1'), [said('user', 'One.')], { origin });
  const lines = header + snapshotLine(line, JSON.stringify(conversation)) + (isEnded ? endLine(line) : '');
  await storage.append({ info: line, mode: 'replace', lines });
  return conversation;
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

  test.each([
    ['goes on', 60_000],
    ['stands still', 0],
    ['goes back', -60_000],
  ])('are one, in the order of their recordings, when the clock %s', async (_, stepMs) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
    onTestFinished(() => void vi.useRealTimers());
    const inner = memoryStorage();
    const begun = new Map<string, string>();
    const append: TranscriptStorage['append'] = (batch) => {
      const { createdAt } = JSON.parse(batch.lines.split('\n')[0] ?? '');
      if (batch.mode === 'replace') begun.set(batch.info.writer, createdAt);
      return inner.append(batch);
    };
    const transcripts = await openTranscripts({ storage: { ...inner, append } });
    for (const text of ['One.', 'Two.', 'Three.']) {
      const { session, apply } = storeSession('s1');
      await apply(said('user', text));
      await transcripts.record(session)();
      vi.setSystemTime(Date.now() + stepMs);
    }
    expect(outline(await transcripts.read('s1'))).toEqual(['user: One.', 'user: Two.', 'user: Three.']);
    expect(await inner.read('s1')).toHaveLength(1);
    const times = [...begun.values()];
    expect(times).toHaveLength(3);
    expect([...new Set(times)].sort()).toEqual(times);
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

  test('of an earlier release, of which one has what the other one had, have each entry once', async () => {
    const storage = memoryStorage();
    await storeOld(storage, '1');
    await storeOld(storage, '2', { includes: ['1'.repeat(32)] });
    expect(await listed(storage)).toEqual({ s1: ['user: One.'] });
  });

  test.each<[string, Old, number]>([
    ['has ended', {}, 1],
    ['runs', { pid: process.ppid }, 2],
    ['is this one, in which it has ended', { pid: process.pid }, 1],
    ['is this one, in another thread', { pid: process.pid, thread: threadId + 1 }, 2],
    ['may run on another machine', { host: `not ${hostname()}` }, 2],
    ['has said on another machine that it writes no more', { host: `not ${hostname()}`, isEnded: true }, 1],
    ['has a number that is none', { pid: 1.5 }, 2],
  ])('of which the program of the first %s are one only if that is over', async (_, program, count) => {
    const storage = memoryStorage();
    const conversation = await storeOld(storage, '1', program);
    const { session, apply } = storeSession('s1', { conversation });
    const transcripts = await openTranscripts({ storage });
    const stop = transcripts.record(session);
    const areNew = count === 1 ? [true] : [false, true];
    const writers = async () => (await storage.read('s1')).map(({ writer }) => writer);
    await eventually(async () => (await writers()).map((writer) => writer !== '1'.repeat(32))).toEqual(
      areNew,
    );
    await apply(said('agent', 'Two.'));
    await stop();
    expect(await writers()).toHaveLength(count);
    expect(outline(await transcripts.read('s1'))).toEqual(['user: One.', 'agent: Two.']);
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

  test('have what the user says again in the words of a replay', async () => {
    const transcripts = await openTranscripts({ storage: memoryStorage() });
    for (const origin of ['replay', 'live'] as const) {
      const { session, store } = storeSession('s1');
      const stop = transcripts.record(session);
      store.apply(said('user', 'Go on.'), origin);
      await stop();
    }
    expect(outline(await transcripts.read('s1'))).toEqual(['user: Go on.', 'user: Go on.']);
  });

  test('stand at the place of those that they took over, also those that they had taken over', async () => {
    const storage = memoryStorage();
    const transcripts = await openTranscripts({ storage });
    const first = storeSession('s1');
    await first.apply(said('user', 'One.', 'm1'));
    await transcripts.record(first.session)();
    const other = storeSession('s1');
    await other.apply(said('user', 'Two.', 'm2'));
    const stop = transcripts.record(other.session);
    await eventually(async () => (await storage.read('s1')).length).toBe(2);
    for (let round = 0; round < 2; round++) {
      const { session } = storeSession('s1', { conversation: first.store.getSnapshot() });
      await transcripts.record(session)();
      expect(outline(await transcripts.read('s1'))).toEqual(['user: One.', 'user: Two.']);
    }
    await stop();
    expect(outline(await transcripts.read('s1'))).toEqual(['user: One.', 'user: Two.']);
  });
});

const at = (ms: number) => `2026-01-01T00:00:00.00${ms}Z`;

/** When a record was written, and how many entries of others it began behind. */
type Known = Partial<Record<'createdAt' | 'firstAt' | 'updatedAt', string>> & {
  seen?: Record<string, number>;
};

const call = (status: string) => (text: string, toolCallId: string | undefined) => {
  const [title, ...ids] = text.split(', ');
  const content = ids.map((terminalId) => ({ type: 'terminal', terminalId }));
  return { sessionUpdate: 'tool_call_update', toolCallId, title, status, content };
};

/** What an entry is folded from, by the letter that it has in a row. */
const updates: Readonly<Record<string, (text: string, id: string | undefined) => object>> = {
  u: (text, id) => said('user', text, id),
  a: (text, id) => said('agent', text, id),
  t: (text, id) => ({ ...said('agent', text, id), sessionUpdate: 'agent_thought_chunk' }),
  i: (data, id) => ({ ...said('agent', '', id), content: { type: 'image', mimeType: 'image/png', data } }),
  c: call('completed'),
  n: call('pending'),
  p: (text, terminalId) => ({ sessionUpdate: 'terminal_output_chunk', terminalId, data: btoa(text) }),
  f: (reason) => ({ sessionUpdate: 'turn_failed', cause: 'failed', reason }),
  o: (text) => ({ sessionUpdate: 'other', text }),
};

/** A record from its entries, such as `~u#id@writer:key Text`: replayed, with an id, and first written elsewhere. */
function written(writer: string, entries: string, { seen = {}, updatedAt, ...times }: Known = {}) {
  let conversation = emptyConversation('s');
  const origins = new Map<string, readonly string[]>();
  for (const entry of entries.split(' / ')) {
    const [, replay, letter = '', id, taken, text = ''] =
      /^(~?)(\w)(?:#(\w+))?(?:@(\S+))? (.*)$/s.exec(entry) ?? [];
    const update = updates[letter]?.(text, id) as ReturnType<typeof said>;
    conversation = foldUpdates(conversation, [update], replay ? { origin: 'replay' } : {});
    if (taken)
      origins.set(
        conversation.entries.at(-1)?.key ?? '',
        taken.split(',').map((each) => each.replace(':', ' ')),
      );
  }
  const record = recordOf(writer, conversation);
  const header = { ...record.header, ...times };
  const known = { origins, seen: new Map(Object.entries(seen)), updatedAt: updatedAt ?? record.updatedAt };
  return { ...record, ...known, header };
}

/** Each entry: what is said, or the title of a call with its terminals and their output. */
function shown(conversation: Conversation): readonly string[] {
  return conversation.entries.map((entry) => {
    const outputs = terminalIdsOf(entry).map((id) => `${id}=${conversation.terminals[id]?.output ?? ''}`);
    const [text = ''] = outline({ ...conversation, entries: [entry] });
    return entry.kind === 'toolCall' ? [entry.title, ...outputs].join(' ') : text.replace(/^\w+: /, '');
  });
}

const late = { 1: { createdAt: at(3), firstAt: at(0), seen: { 2: 2 } } };
test.each<[string, string, string, Readonly<Record<number, Known>>?]>([
  ['behind what it followed', 'u#a A / u#x X / u#b B | u#a A / u#b B / u#y Y', 'A / X / B / Y'],
  ['before the first entry of both', 'u#x X / u#a A | u#y Y / u#a A', 'Y / X / A'],
  ['twice if it was said twice', 'u A / a B | u A / a B', 'A / B / A / B'],
  ['in the order of time', 'u A | u B', 'B / A', { 1: { createdAt: '+012026-01-01T00:00:00Z' } }],
  ['in one order at one time', 'u A | u B', 'A / B', { 1: { createdAt: at(2) } }],
  ['where an earlier record was', 'u A | u B', 'B / A', { 2: { firstAt: at(0) } }],
  ['twice if it is known to be behind', '~u A / ~a B | u A', 'A / B / A', { 2: { seen: { 1: 2 } } }],
  ['twice behind a later replay', 'u A | ~u A', 'A / A', { 1: { seen: { 2: 1 } } }],
  ['once in two replays', '~u A | ~u A', 'A', { 1: { seen: { 2: 1 } } }],
  ['twice beside a replay of another', '~u@0:x A | u A', 'A / A'],
  ['twice beside one of several', 'u A | ~u@2:user#0,0:x A', 'A / A'],
  ['as a whole answer', 'a A long | ~a A long answer', 'A long answer'],
  ['as the answer of an earlier replay', '~a A long answer | a A long', 'A long answer'],
  ['as one that the replay cuts', 'u Q / a A long one | ~u Q / ~a A long\n / u Q', 'Q / A long one / Q'],
  ['as one with an id', 'u Q / a#a A long one | ~u Q / ~a#a A long / u Q', 'Q / A long one / Q'],
  ['as one with blank lines', 'a \n\nA long answer | ~a A long', '\n\nA long answer'],
  ['beside the beginning of a question', 'u A long question | ~u A long', 'A long question / A long'],
  ['beside the beginning of a thought', 't A long thought | ~a A long', 'A long thought / A long'],
  ['beside a picture', 'a An answer | ~i x', 'An answer / <image>'],
  ['with its picture', 'a A / i x | ~a A', 'A|<image>'],
  [
    'with a later picture',
    'a A / i x / a B / i x / a C | ~a ABC / ~i x / ~i x / ~i x',
    'ABC|<image>|<image>|<image>',
  ],
  ['with the later order', 'i x / a A | ~a A / ~i x', 'A|<image>'],
  ['as the new text', 'a#a A / i#a x | ~a#a An answer', 'An answer'],
  ['once as a failure', 'f No disk | ~f No disk', 'No disk'],
  ['beside another failure', 'f No disk | ~f No agent', 'No disk / No agent'],
  ['beside a failure', 'f No disk | ~a A', 'No disk / A'],
  ['beside a replayed failure', 'a A | ~f No disk', 'A / No disk'],
  ['once as what is not known', 'o A | ~o A', '?other'],
  ['beside a call with its id', 'c#t A, t / p#t aa | c#t B, t / p#t b', 'A tool:t~2=aa / B t=b'],
  [
    'beside two, also in the other one',
    'c#t A, t / p#t a / c#t B, t / p#t b | c#t C, t / p#t c / c#t D, t / p#t d',
    'A tool:t~2=a / B tool#2:t~2=b / C tool:t=c / D t=d',
  ],
  ['beside one without a terminal', 'c#t A, t / p#t a | c#t B / p#t b', 'A tool:t~2=a / B'],
  ['beside one without output', 'c#t A, t | c#t B', 'A tool:t~2= / B'],
  ['with its terminals', 'c#t A, x, y, t / p#x a | c#u B, x / p#x b', 'A tool:t x=a y= t= / B x=b'],
  ['with its longer output', 'c#t A, t / p#t a | c#t A, t / p#t aa', 'A t=aa'],
  ['once if it had not ended', 'n#t A, t / p#t a | c#t B, t / p#t b', 'B t=b'],
  ['with the terminal of a replayed call', 'c#t A, x / p#x a | ~c#t B', 'B x=a'],
  ['behind what it had seen', 'u#a@0:x A / u#c C | u#p P / u#q Q / u#r R', 'A / P / Q / C / R', late],
  ['once in a third', 'u A | u B | u#a@1:user#0 A / u#b@2:user#0 B', 'A / B'],
  ['once if two took it over', 'u A | u@1:user#0 A / a B | u@1:user#0 A / a C', 'A / B / C'],
  ['once for two with its origin', 'a Abc | a#b@1:agent#0 A / a#c@1:agent#0 A', 'Abc / A'],
  ['beside a replay of its words', 'u S / a A | ~a A / ~u S / a@1:agent#1 A', 'A / S / A'],
  ['beside another one with its id', 'u#a Both | u#b@1:user:a Both / u#a Bo', 'Both / Bo'],
  ['beside an answer with its key', 'u A | a@1:user#0 B', 'A / B'],
  ['beside a call with its key', 'u A | c#t@1:user#0 B', 'A / B'],
  ['once under another id', 'c#t A | c#u@1:tool:t B', 'B'],
  ['as it was changed at last', 'a Old | a@1:agent#0 New / u C', 'Old / C', { 1: { updatedAt: at(3) } }],
  ['as it was taken over', 'a Old | a@1:agent#0 New / u C', 'New / C', { 1: { updatedAt: at(2) } }],
  ['as the last took it over', 'a@0:agent#0 Old | a@0:agent#0 New', 'New', { 1: { updatedAt: at(3) } }],
])('what a record of several has is shown %s', (_, records, expected, known = {}) => {
  const each = records.split(' | ').map((short, index) => written(`${index + 1}`, short, known[index + 1]));
  for (const given of [each, each.toReversed()]) {
    const joined = wholeOfRecords(given)?.conversation ?? emptyConversation('s');
    expect(shown(joined).join(' / ')).toBe(expected);
    expect(new Set(joined.entries.map(({ key }) => key)).size).toBe(joined.entries.length);
    for (const [id, { terminalId }] of Object.entries(joined.terminals)) expect(terminalId).toBe(id);
  }
});

test.each<
  [string, string, string, readonly string[], { given?: number; writer?: string; broken?: string[] }?]
>([
  ['are the same', 'u A / a B', 'u A / a B', ['1 user#0', '1 agent#1']],
  ['have ended since', 'u A / a B', 'u A / a B and C / u D', ['1 user#0', '1 agent#1']],
  ['are behind a call', 'c#t A / u B', 'c#t A / u B', ['1 tool:t', '1 user#1']],
  ['are behind another one', 'u#a A / a B', 'u#b A / a B', []],
  ['have its words', 'u A', 'u B', []],
  ['it was given', 'u A / a B', 'u A / a B', ['1 user#0'], { given: 1 }],
  ['are not known to be of another one', 'u A', 'u@9:x A', ['9 x']],
  ['are not in a record that it could not continue', 'u A', 'u A', [], { broken: ['1'] }],
  ['replay what it has written', '~u A', 'u A', ['1 user#0', '2 user#0'], { writer: '2' }],
])('a session begins with the entries of a record that %s', async (_, saved, shown, origins, own = {}) => {
  const { given = 9, writer = '', broken = [] } = own;
  const storage = memoryStorage();
  const info = { ...{ id: 's', writer: '1', version: 2, sessionId: 's', agent: null }, cwd, title: null };
  const line = { ...info, updatedAt: at(1) };
  const process = { host: 'another', pid: 1, thread: 0 };
  const header = headerLine({ ...line, createdAt: at(1), process, includes: [] });
  const lines = header + snapshotLine(line, JSON.stringify(written('1', saved).conversation));
  await storage.append({ info: line, mode: 'replace', lines });
  const begun = { id: 's', writer, agent: null, createdAt: writer && at(2), includes: [] };
  const record = { ...written(writer, shown), header: begun };
  const found = await absorb(storage, { record, given, earlier: new Set(), broken: new Set(broken) });
  expect([...found.origins.values()].flat()).toEqual(origins);
});
