import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { headerLine, snapshotLine } from '../../../src/records/transcripts/format.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { openTranscripts } from '../../../src/records/transcripts/open-transcripts.ts';
import type { TranscriptStorage } from '../../../src/records/transcripts/storage.ts';
import { wholeConversation } from '../../../src/records/transcripts/whole.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { mergeConversations, recordOf } from '../../support/merged-recordings.ts';
import { cwd, outline } from '../../support/open-session.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';

/** A window with an agent of its own, that gives its first session the id 1. */
async function windowOn(storage: TranscriptStorage, agentName: string) {
  const transcripts = await openTranscripts({ storage });
  onTestFinished(() => transcripts.close());
  const agentInfo = { name: agentName, version: '1.0.0' };
  const { connection } = await connectTo(
    { ...everything.v1, agentInfo },
    {
      answers: { 'session/new': { sessionId: '1' }, 'session/prompt': { stopReason: 'end_turn' } },
    },
  );
  const session = await connection.newSession({ cwd });
  const stop = transcripts.record(session);
  return { transcripts, connection, session, stop };
}

async function listed(storage: TranscriptStorage) {
  const transcripts = await openTranscripts({ storage });
  const found: Record<string, readonly string[]> = {};
  for await (const { id } of transcripts.list({ cwd })) found[id] = outline(await transcripts.read(id));
  return found;
}

describe('two sessions with one id', () => {
  test.each([
    ['of one agent', 'scripted', /^1 \(2026-01-02T00:00:00.000Z [0-9a-f]{8}\)$/],
    ['of two agents', 'other', /^1 \((?:other|scripted)\)$/],
  ])('%s that begin in one millisecond have a transcript each', async (_, name, second) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
    onTestFinished(() => void vi.useRealTimers());
    const storage = memoryStorage();
    // Both look for records before one is written.
    const reads: (() => void)[] = [];
    const held: TranscriptStorage = {
      ...storage,
      async read(id) {
        if (reads.length < 2) {
          await new Promise<void>((resolve) => reads.push(resolve));
        }
        return storage.read(id);
      },
    };
    const [one, other] = [await windowOn(held, 'scripted'), await windowOn(held, name)];
    await eventually(() => reads.length).toBe(2);
    for (const read of reads) read();
    await one.session.prompt('In one.');
    await other.session.prompt('In the other.');
    await Promise.all([one.stop(), other.stop()]);
    const found = await listed(storage);
    expect(Object.values(found).sort()).toEqual([['user: In one.'], ['user: In the other.']]);
    const [id = ''] = Object.keys(found).filter((each) => each !== '1');
    expect(id).toMatch(second);
    // The id that a program has kept stays the one of this session.
    const { transcripts, connection } = one;
    const hits = [];
    for await (const hit of transcripts.search('the other', { cwd })) hits.push(hit.id);
    expect(hits).toEqual(found[id]?.[0]?.includes('other') ? [id] : ['1']);
    expect((await transcripts.reopen('1', connection)).session).not.toBe(
      (await transcripts.reopen(id, connection)).session,
    );
    await transcripts.remove('1');
    expect(outline(await transcripts.read(id))).toEqual(found[id]);
    await transcripts.remove(id);
    expect(await listed(storage)).toEqual({});
  });

  test('have a transcript each if the clock was set back between them', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
    onTestFinished(() => void vi.useRealTimers());
    const storage = memoryStorage();
    for (const text of ['First.', 'Second.']) {
      const { session, stop } = await windowOn(storage, 'scripted');
      await session.prompt(text);
      await stop();
      vi.setSystemTime(Date.UTC(2026, 0, 1));
    }
    expect(await listed(storage)).toEqual({
      '1': ['user: First.'],
      '1 (2026-01-01T00:00:00.000Z)': ['user: Second.'],
    });
  });
});

describe('two records of a session', () => {
  const conversation = (update: object) =>
    foldUpdates(emptyConversation('s'), [update as ReturnType<typeof said>]);
  const withOutput = (output: string): Conversation => {
    const printed = { terminalId: 't', data: Buffer.from(output).toString('base64') };
    return conversation({ sessionUpdate: 'terminal_output_chunk', ...printed });
  };

  test.each([
    [
      'only the older one knows how it ended',
      { exitCode: 1, signal: null },
      'a',
      { exitCode: null, signal: null },
      'a',
    ],
    [
      'only the newer one knows how it ended, and the older one has more output',
      null,
      'a',
      { exitCode: 1, signal: null },
      '',
    ],
  ])('show how a command ended if %s', (_, before, output, after, rest) => {
    const ended = (exitStatus: object | null, text: string): Conversation => {
      const shown = withOutput(text);
      // The table has the status.
      const terminal = { ...shown.terminals['t'], exitStatus } as Conversation['terminals'][string];
      return { ...shown, terminals: { t: terminal } };
    };
    const { terminals } = mergeConversations(ended(before, output), ended(after, rest));
    expect(terminals['t']).toMatchObject({ output: 'a', exitStatus: { exitCode: 1 } });
  });

  test.each([
    ['have the plan that a replay lacks', [], 1],
    ['do not have a plan that was removed', [{ sessionUpdate: 'plan_removed', planId: 'p' }], 0],
  ] as const)('%s', async (_, updates, count) => {
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
    const again = storeSession('s1');
    again.store.apply(said('user', 'Q', 'm1'), 'replay');
    if (updates.length > 0) again.store.apply(plan, 'replay');
    const stop = transcripts.record(again.session);
    await eventually(async () => (await storage.read('s1')).length).toBe(2);
    await again.apply(...updates, said('user', 'Next', 'm3'));
    await stop();
    const { plans, entries } = await transcripts.read('s1');
    expect(plans).toHaveLength(count);
    expect(entries).toHaveLength(3);
  });

  test('follow each other in the order of time, also in a year with more than four digits', () => {
    const at = (writer: string, createdAt: string) => {
      const text = said('user', createdAt);
      const record = recordOf(writer, foldUpdates(emptyConversation('s'), [text]));
      return { ...record, header: { writer, createdAt } };
    };
    const records = [at('1', '+012026-01-01T00:00:00Z'), at('2', '2026-01-01T00:00:00Z')];
    expect(outline(wholeConversation(records) ?? emptyConversation('s'))).toEqual([
      'user: 2026-01-01T00:00:00Z',
      'user: +012026-01-01T00:00:00Z',
    ]);
  });

  test('have the cursors of both, each once', () => {
    const at = (cursorId: string, more: object = {}) => ({
      sessionUpdate: 'cursor_update',
      cursorId,
      anchor: { type: 'user_message', messageId: 'm1', position: 'before' },
      ...more,
    });
    const withCursors = (...updates: object[]) =>
      foldUpdates(emptyConversation('s'), updates as unknown as ReturnType<typeof said>[]);
    const newer = withCursors(at('b', { capabilities: { fork: {} } }), at('c'));
    const { cursors } = mergeConversations(withCursors(at('a'), at('b')), newer);
    expect(cursors).toMatchObject([
      { cursorId: 'a' },
      { cursorId: 'b', capabilities: { fork: {} } },
      { cursorId: 'c' },
    ]);
    expect(mergeConversations(withCursors(at('b')), newer)).toBe(newer);
  });

  test.each([
    ['stands still', 0],
    ['goes back', -60_000],
  ])('follow each other in the order of their recordings when the clock %s', async (_, stepMs) => {
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
    const times = [...begun.values()];
    expect(times).toHaveLength(3);
    expect([...new Set(times)].sort()).toEqual(times);
  });

  test.each([undefined, 'm1'])(
    'have an answer once of which a replay has the beginning, with the id %s',
    async (id) => {
      const transcripts = await openTranscripts({ storage: memoryStorage() });
      const first = storeSession('s1');
      await first.apply(said('user', 'Q'), said('agent', 'A long and whole answer.', id));
      await transcripts.record(first.session)();
      const again = storeSession('s1');
      for (const update of [said('user', 'Q'), said('agent', 'A long', id)])
        again.store.apply(update, 'replay');
      await again.apply(said('user', 'Q'));
      await transcripts.record(again.session)();
      const whole = ['user: Q', 'agent: A long and whole answer.', 'user: Q'];
      expect(outline(await transcripts.read('s1'))).toEqual(whole);
    },
  );

  test('stay two while both are written, and what neither can remove is read once', async () => {
    const inner = memoryStorage();
    const remove = async (id: string, writers?: readonly string[]) => {
      if (writers) throw new Error('EACCES');
      await inner.remove(id);
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
    const conversation = foldUpdates(emptyConversation('s1'), [said('user', 'One.')]);
    const [first, second] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string];
    for (const [writer, includes] of [
      [first, []],
      [second, [first]],
    ] as const) {
      const updatedAt = '2026-01-01T00:00:00.000Z';
      const line = {
        id: 's1',
        writer,
        version: 1,
        sessionId: 's1',
        agent: null,
        cwd,
        title: null,
        updatedAt,
      };
      const process = { host: 'host', pid: 1, thread: 0 };
      const header = headerLine({ ...line, createdAt: updatedAt, process, includes });
      const lines = header + snapshotLine(line, JSON.stringify(conversation));
      await storage.append({ info: line, mode: 'replace', lines });
    }
    expect(await listed(storage)).toEqual({ s1: ['user: One.'] });
  });

  test('have what goes on in the window where it began, and twice what the user says in both', async () => {
    const storage = memoryStorage();
    const open = () => openTranscripts({ storage });
    const [one, other] = [await open(), await open()];
    const first = storeSession('s1', { cwd });
    const call = { sessionUpdate: 'tool_call_update', toolCallId: 't', title: 'Run' } as const;
    const shown = (text: string) => ({ type: 'content', content: { type: 'text', text } }) as const;
    const terminal = { sessionUpdate: 'terminal_update', terminalId: 't' } as const;
    await first.apply(
      said('user', 'Continue.'),
      { ...call, status: 'in_progress', content: [shown('1')] },
      { ...terminal, command: 'run' },
    );
    const stop = one.record(first.session);
    await eventually(async () => (await storage.read('s1')).length).toBe(1);
    const second = storeSession('s1', { cwd, conversation: await other.read('s1') });
    const stopOther = other.record(second.session);
    await second.apply({ ...call, status: 'cancelled' }, said('user', 'Continue.'));
    await eventually(async () => (await storage.read('s1')).length).toBe(2);
    await first.apply(
      { ...call, status: 'completed', content: [shown('1'), shown('2')] },
      { ...terminal, exitStatus: { exitCode: 0, signal: null } },
      said('user', 'Continue.'),
    );
    for (const end of [async () => {}, stop, stopOther]) {
      await end();
      await eventually(async () => outline(await other.read('s1'))).toEqual([
        'user: Continue.',
        't: completed',
        'user: Continue.',
        'user: Continue.',
      ]);
      const { entries, terminals } = await other.read('s1');
      expect(entries[1]).toMatchObject({ content: [shown('1'), shown('2')] });
      expect(terminals['t']?.exitStatus).toEqual({ exitCode: 0, signal: null });
    }
  });
});
