import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { instantOf } from '../../../src/core/base/instant.ts';
import { setCreated } from '../../../src/core/client/session/session-origin.ts';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import { entryTexts } from '../../../src/records/transcripts/entry-text.ts';
import {
  headerLine,
  PatchSchema,
  readHeader,
  relationsText,
} from '../../../src/records/transcripts/format.ts';
import { jsonText } from '../../../src/records/transcripts/json-text.ts';
import { listed } from '../../../src/records/transcripts/listing.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { originsJson, readCounts, readOrigins } from '../../../src/records/transcripts/origins.ts';
import { pruned } from '../../../src/records/transcripts/prune.ts';
import { mayMatch, searchPattern } from '../../../src/records/transcripts/search.ts';
import { sessionRecords } from '../../../src/records/transcripts/session-records.ts';
import { compareTimes, earliest, timeAfter } from '../../../src/records/transcripts/times.ts';
import { firstLineOf } from '../../../src/records/transcripts/title.ts';
import {
  byStoredId,
  findListed,
  findTranscriptId,
  transcriptsOf,
} from '../../../src/records/transcripts/transcript-id.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { mergeConversations } from '../../support/merged-recordings.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';

const empty = emptyConversation('s');
const ofUser = (text: string) => foldUpdates(empty, [said('agent', 'Hello.'), said('user', text)]);

describe('the first line of a conversation', () => {
  const long = 'x'.repeat(101);
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const blocks = (...content: readonly object[]) =>
    foldUpdates(empty, [
      { sessionUpdate: 'user_message', messageId: 'm', content } as ReturnType<typeof said>,
    ]);
  test.each<[string, Conversation, string | null]>([
    ['that of the first prompt', ofUser('\n A \nB '), 'A'],
    ['that of the next one if it is empty', foldUpdates(ofUser(' '), [said('user', 'B', 'b')]), 'B'],
    ['text', blocks(image, { type: 'text', text: ' \n' }, { type: 'text', text: 'Look.' }), 'Look.'],
    ['printable', ofUser('Fix\u202e it.\u0007'), 'Fix\ufffd it.'],
    ['a line of 100 characters', ofUser('x'.repeat(100)), 'x'.repeat(100)],
    ['the start of a longer line', ofUser(long), `${'x'.repeat(99)}…`],
    ['a line of 100 characters of two code units', ofUser('🎉'.repeat(100)), '🎉'.repeat(100)],
    ['the start of more of them', ofUser('🎉'.repeat(200)), `${'🎉'.repeat(99)}…`],
    ['nothing without text', blocks(image), null],
    ['nothing of what is far inside of a file', ofUser(`${' '.repeat(10_000)}x`), null],
    ['nothing if the user said nothing', foldUpdates(empty, [said('agent', 'Hello.')]), null],
  ])('is %s', (_, conversation, line) => {
    expect(firstLineOf(conversation, 100)).toBe(line);
  });
});

describe('a time', () => {
  test.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
    ['not a time', '-000001-01-01T00:00Z'],
    ['2026-02-30T00:00Z', '0000-01-01T00:00Z'],
    ['x2026-01-01T00:00Z', '0000-01-01T00:00Z'],
    ['2026-01-01T00:00', '0000-01-01T00:00Z'],
    ['9999-12-31T23:59:59Z', '+010000-01-01T00:00:00.5+00:00'],
    ['2026-01-02T00:30+02:00', '2026-01-01T23:00Z'],
  ])('%s is before %s', (before, after) => {
    expect(compareTimes(before, after)).toBeLessThan(0);
    expect(compareTimes(after, before)).toBeGreaterThan(0);
    expect(earliest([undefined, after, before])).toBe(before);
    expect(instantOf(after)).toBeInstanceOf(Date);
  });

  test('after the last one that there can be is that one', () => {
    const last = '+275760-09-13T00:00:00.000Z';
    expect(timeAfter(['2026-01-01T00:00:00.000Z', last, 'not a time'])).toBe(last);
  });
});

describe('what a search looks at', () => {
  const entry = (fields: object) => ({ key: 'k', origin: 'live', ...fields }) as ConversationEntry;
  const text = (value: string) => ({ type: 'text', text: value });
  const tool = { kind: 'toolCall', title: 'T', locations: [{ path: '/p' }], content: [] };
  const message = (...content: readonly object[]) => entry({ kind: 'message', content });
  const link = { type: 'resource_link', name: 'n', uri: 'u' };
  const call = (fields: object) => entry({ ...tool, ...fields });
  const block = (content: object) =>
    call({ title: null, locations: [], content: [{ type: 'content', content }] });
  const file = (fields: object) => block({ type: 'resource', resource: { uri: 'u', ...fields } });
  const terminals = {
    x: { terminalId: 'x', command: 'ls', output: '\u001b[1ma', exitStatus: null },
    y: { terminalId: 'y', command: null, output: 'b', exitStatus: null },
  } as unknown as Conversation['terminals'];
  const shows = (terminalId: string) => call({ content: [{ type: 'terminal', terminalId }] });
  const deep = (depth: number): unknown =>
    depth === 0 ? 'x' : depth % 2 === 0 ? [deep(depth - 1)] : { a: deep(depth - 1) };
  const list = (depth: number): unknown => (depth === 0 ? 'x' : [list(depth - 1)]);
  test.each<[string, ConversationEntry, readonly string[]]>([
    ['neighboring texts as one', message(text('a'), text('b')), ['ab']],
    ['a link among texts', message(text('a'), link), ['n u', 'a']],
    ['a message between sessions', entry({ kind: 'sessionMessage', content: [text('a')] }), ['a']],
    ['nothing of a picture', message({ type: 'image', data: 'QQ==' }), []],
    ['a skill', message({ type: 'skill', name: 'web' }), ['web']],
    ['title and files', call({}), ['T', '/p']],
    ['input at each depth', call({ rawInput: { a: ['b', { c: 'd' }], e: 5 } }), ['T', '/p', 'b', 'd']],
    ['input up to a depth of 64', call({ rawInput: [deep(63), deep(64)] }), ['T', '/p', 'x']],
    ['lists up to a depth of 64', call({ rawInput: [list(63), list(64)] }), ['T', '/p', 'x']],
    ['a text of a tool', block(text('a')), ['a']],
    ['a file of a tool', file({ text: 'a' }), ['u', 'a']],
    ['the address of a binary file', file({ blob: 'QQ==' }), ['u']],
    ['a command and its output', shows('x'), ['T', '/p', 'ls', 'a']],
    ['an output without a command', shows('y'), ['T', '/p', 'b']],
    ['no terminal that is not there', shows('z'), ['T', '/p']],
    ['a diff', call({ content: [{ type: 'diff', changes: ['/q'] }] }), ['T', '/p', 'diff', '/q']],
    ['a summary and its error', entry({ kind: 'compaction', summary: [text('a')], error: 'e' }), ['a', 'e']],
    ['a summary', entry({ kind: 'compaction', summary: [text('a')], error: null }), ['a']],
    ['why a turn failed', entry({ kind: 'turnFailure', reason: 'r' }), ['r']],
    ['what is not known', entry({ kind: 'unknown', raw: { a: 'b' } }), ['b']],
  ])('is %s', (_, of, texts) => {
    expect([...entryTexts(of, { ...empty, terminals })]).toEqual(texts);
  });

  const line = (json: object) => `${JSON.stringify(json)}\n`;
  const record = line({ format: 'x' }) + line({ snapshot: 'Leap' });
  const tea = record.replace('Leap', 'Tea');
  test.each<[string, string, boolean]>([
    ['the word', record, true],
    ['other words', tea, false],
    ['other words and the end', tea + line({ updatedAt: '', ended: true }), false],
    ['other words and a change', tea + line({ patch: [] }), true],
    ['other words, a change and the end', tea + line({ patch: [] }) + line({ ended: true }), true],
    ['other words and a change behind the end', tea + line({ ended: true }) + line({ patch: [] }), true],
  ])('can be in a record with %s', (_, text, isFound) => {
    const pattern = searchPattern('leap');
    let reads = 0;
    const inBytes = {
      ...{ writer: 'w', bytes: Buffer.from(text) },
      get text() {
        reads++;
        return text;
      },
    };
    for (const stored of [{ writer: 'w', text }, inBytes])
      expect(pattern && mayMatch([stored], pattern)).toBe(isFound);
    // To decode it takes most of the time.
    expect(reads).toBe(0);
  });

  test('is nothing for a text without a word', () => {
    expect(searchPattern('?!')).toBeUndefined();
  });
});

describe('the origins of entries', () => {
  const two = foldUpdates(empty, [said('user', 'A', 'a'), said('agent', 'B', 'b')]);
  test('are written without those of the record itself, and read again', () => {
    const origins = new Map([
      ['user:a', ['w user:a']],
      ['agent:b', ['w agent:b', 'v other', 'v agent:b']],
    ]);
    const json = originsJson('w', two, origins);
    expect(json).toEqual({ v: [['agent:b', 'other'], 'agent:b'], w: ['agent:b'] });
    expect(readOrigins(json).get('agent:b')?.toSorted()).toEqual(['v agent:b', 'v other', 'w agent:b']);
    expect(readOrigins(json).has('user:a')).toBe(false);
  });

  test('are left out where they are damaged', () => {
    expect([...readOrigins({ v: ['a', 5, ['b', 5], [5, 'b'], null], w: 7 })]).toEqual([['a', ['v a']]]);
    expect([...readOrigins(7), ...readCounts(7)]).toEqual([]);
    expect([...readCounts({ v: 1, w: '2' })]).toEqual([['v', 1]]);
  });

  test('are not written where there is nothing to say', () => {
    const nothing = { origins: new Map(), seen: new Map(), hadPlans: false };
    expect(relationsText('w', two, nothing)).toBe('');
    expect(relationsText('w', two, { ...nothing, seen: new Map([['v', 2]]), hadPlans: true })).toBe(
      ',"seen":{"v":2},"hadPlans":true',
    );
  });
});

const good = {
  ...{ id: 'i', writer: 'w', version: 2, sessionId: 's', creation: 'c', cwd: '/p', title: 'T' },
  agent: { name: 'a', version: '1', title: 'A' },
  ...{ createdAt: '2026-01-01T00:00Z', firstAt: '2025-01-01T00:00Z', updatedAt: '2026-01-02T00:00Z' },
  process: { host: 'h', pid: 1, thread: 2 },
  includes: ['x', 'y'],
};

describe('the header of a record', () => {
  test.each<[object, object | undefined]>([
    [{}, good],
    [{ id: 5 }, undefined],
    [{ writer: 5 }, undefined],
    [{ version: '2' }, undefined],
    [{ sessionId: 5 }, { ...good, sessionId: 'i' }],
    [{ creation: 5 }, { ...good, creation: undefined }],
    [{ cwd: 5 }, { ...good, cwd: '' }],
    [{ title: 5 }, { ...good, title: null }],
    [{ title: null }, { ...good, title: null }],
    [{ agent: { name: 5 } }, { ...good, agent: null }],
    [{ agent: 5 }, { ...good, agent: null }],
    [{ agent: { name: 'a', version: 5, title: 5 } }, { ...good, agent: { name: 'a', version: '' } }],
    [
      { createdAt: 5, firstAt: 5 },
      { ...good, createdAt: '', firstAt: undefined },
    ],
    [{ updatedAt: [good.updatedAt] }, { ...good, updatedAt: '' }],
    [{ process: { host: 5, pid: '1', thread: null } }, { ...good, process: { host: '', pid: 0, thread: 0 } }],
    [{ process: 5 }, { ...good, process: { host: '', pid: 0, thread: 0 } }],
    [{ includes: ['x', 5] }, { ...good, includes: ['x'] }],
    [{ includes: 5 }, { ...good, includes: [] }],
  ])('with %j is read as far as it is not damaged', (fields, header) => {
    // A file can have anything.
    expect(readHeader(headerLine({ ...good, ...fields } as typeof good))).toEqual(header);
  });
});

test.each<[object, boolean]>([
  [{ op: 'set', path: ['a', 0], value: null }, true],
  [{ op: 'set', path: ['a'] }, false],
  [{ op: 'unset', path: [-1] }, false],
  [{ op: 'unset', path: [1.5] }, false],
  [{ op: 'unset', path: 'a' }, false],
  [{ op: 'append', path: [], text: 'a' }, true],
  [{ op: 'append', path: [] }, false],
  [{ op: 'append', text: 'a' }, false],
  [{ op: 'splice', path: [], at: 0, remove: 0, insert: [] }, true],
  [{ op: 'splice', path: [], at: '0', remove: 0, insert: [] }, false],
  [{ op: 'splice', path: [], at: 0, remove: -1, insert: [] }, false],
  [{ op: 'splice', path: [], at: 0, remove: 0, insert: 'a' }, false],
  [{ op: 'output', terminalId: 'x', remove: 0, text: '' }, true],
  [{ op: 'output', terminalId: 5, remove: 0, text: '' }, false],
  [{ op: 5, path: [] }, false],
  [{ op: 'toString', path: [] }, false],
])('%j is an operation of a patch: %s', (operation, isOne) => {
  expect(v.is(PatchSchema, [{ op: 'unset', path: [] }, operation])).toBe(isOne);
});

const record = (id: string, writer: string, fields: object = {}) => ({
  ...{ id, writer, version: 2, sessionId: 's', agent: null, cwd: '/p', title: null },
  ...{ updatedAt: '2026-01-01T00:00Z', bytes: 10, ...fields },
});

/** A record without an id: `1 a x` is of a session that the agent `x` created at the time `1 a`. */
const createdBy = (said: string, index: number) => {
  const [, creation, name] = /^(.*?) ?([xy1]?)$/.exec(said) ?? [];
  return record('', `${index}`, { creation: creation || undefined, agent: name ? { name } : null });
};

describe('the sessions with one id', () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['of one time', ['2 a x', '1 b x', '1 a x'], { '': '2', ' (1 b)': '1', ' (2)': '0' }],
    ['of two agents', ['1 a y', '3 a x', '4 a x'], { '': '0', ' (x)': '1', ' (x) (4)': '2' }],
    ['of an agent called like a time', ['1 a x', '2 a 1'], { '': '0', ' (1)': '1' }],
    ['that say nothing', ['', ''], { '': '0 1' }],
    ['that do not say the agent', ['2 a x', '1 a', '3 a y'], { '': '1', ' (2)': '0', ' (y)': '2' }],
    ['that do not say the time', ['1 b x', ' y', 'x', '1 a x'], { '': '2 3', ' (1 b)': '0', ' (y)': '1' }],
  ])('%s have an id each, which stays when the others are removed', (_, said, ids) => {
    const records = said.map(createdBy);
    const found = transcriptsOf(records);
    expect([...found.keys()].sort()).toEqual(Object.keys(ids).sort());
    for (const [id, own] of found) {
      expect(own.map(({ writer }) => writer).toSorted()).toEqual(ids[id]?.split(' '));
      const place = { id: '', records: own, isAll: true };
      expect(findListed(byStoredId(own), id)).toEqual([place]);
      expect(findListed(byStoredId(records), id)).toEqual([{ ...place, isAll: found.size === 1 }]);
    }
    for (const id of ['other', ' (z)', ' (undefined)'])
      expect(findListed(byStoredId(records), id)).toEqual([]);
  });
});

describe('the transcript of a session is the one', () => {
  const now = '2026-01-02T00:00:00.000Z';
  const created = `i (${now})`;
  const old = { creation: undefined };
  test.each<[string, readonly object[], string, { agent?: null; found?: string }?]>([
    ['with its id', [], 'i'],
    ['with its id beside a damaged one', [{ version: 'x' }], 'i'],
    ['that is its own', [{}, { creation: 'own' }, {}], 'i'],
    ['with its time beside an earlier one', [{}], created],
    ['with its time beside one of a later time', [{ createdAt: '2027-01-01T00:00Z' }], created],
    ['with its time beside an older one of no session', [old], created],
    ['of no session that began at its time', [{ ...old, createdAt: now }], 'i'],
    ['with its agent beside one of another', [{ agent: { name: 'b' } }], 'i (a)'],
    ['with both beside one of each', [{ agent: { name: 'b' } }, { id: 'i (a)' }], `i (a) (${now})`],
    ['of no agent', [{ agent: null, creation: 'own' }], 'i'],
    ['of an agent if its own has no name', [{ creation: 'own' }], 'i', { agent: null }],
    ['that is the first one', [old, { creation: 'Y' }, { creation: 'X' }], 'i', { found: 'X' }],
  ])('%s', async (_, headers, id, { agent = good.agent, found } = {}) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(now) });
    onTestFinished(() => void vi.useRealTimers());
    const { session } = storeSession('i');
    if (found === undefined) setCreated(session);
    const { creation } = sessionRecords(session);
    const storage = memoryStorage();
    for (const [index, header] of headers.entries()) {
      const own = 'creation' in header && header.creation === 'own' ? { creation } : {};
      const info = { ...good, writer: `${index}`, ...header, ...own };
      await storage.append({ info, mode: 'replace', lines: headerLine(info) });
    }
    expect(await findTranscriptId(storage, session, agent)).toBe(id);
    expect(sessionRecords(session).creation).toBe(found ?? creation);
  });
});

describe('a list', () => {
  test('has what the record that changed last says, of those of a directory, and the newest transcript first', () => {
    const agent = { name: 'x', version: '1' };
    const newest = { updatedAt: '2026-01-02T00:00Z', version: 9 };
    const records = [
      record('b', '1'),
      record('a', '2', { title: 'Tea', agent, cwd: '/r' }),
      record('a', '7', { title: 'Milk' }),
      record('a', '6', { title: 'Water' }),
      record('a', '3', newest),
      record('c', '4', { cwd: '/q', updatedAt: '2026-01-03T00:00Z' }),
      record('0', '5'),
    ];
    const info = ({ writer: _, version: __, ...shown }: (typeof records)[number]) => ({
      ...shown,
      isNewer: false,
    });
    const a = { ...info(record('a', '', newest)), title: 'Tea', agent, bytes: 40, isNewer: true };
    const [c, zero, b] = [records[5], records[6], records[0]].map((one) => one && info(one));
    expect(listed(records)).toEqual([c, a, zero, b]);
    const inP = { ...a, title: 'Water', agent: null, bytes: 30 };
    expect(listed(records, { cwd: '/p' })).toEqual([inP, zero, b]);
  });
});

const changedAt = (updatedAt: string) => ({ ...record('a', '1'), updatedAt, isNewer: false });

test.each<[string, string, boolean]>([
  ['of the year 12026', '+012026-06-01T00:00:00.000Z', false],
  ['before the year 0', '-000001-06-01T00:00:00.000Z', true],
  ['with an offset, before', '2026-01-02T01:00:00.000+02:00', true],
  ['with an offset, after', '2026-01-01T23:00:00.000-02:00', false],
  ['at this time', '2026-01-02T00:00:00.000Z', false],
  ['that cannot be read', '1', false],
])('olderThan compares times: one %s', (_, updatedAt, isRemoved) => {
  const transcript = changedAt(updatedAt);
  const olderThan = new Date('2026-01-02');
  expect(pruned([transcript], { olderThan })).toEqual(isRemoved ? [transcript] : []);
});

test.each([
  [{ keep: 1 }, 1],
  [{ olderThan: new Date('2026-01-02') }, 2],
  [{ olderThan: new Date('2027-01-01'), keep: 2 }, 2],
  [{ maxBytes: 10 }, 1],
  [{ maxBytes: 0, keep: 1 }, 1],
  [{ maxBytes: 30 }, 3],
])('prune with %o leaves %i of three', (options, left) => {
  const transcripts = [3, 2, 1].map((day) => changedAt(`2026-01-0${day}T00:00Z`));
  expect(pruned(transcripts, options)).toEqual(transcripts.slice(left));
});

describe('the newer of two records', () => {
  // Only what a merge looks at.
  const of = (fields: object) => ({ ...empty, ...fields }) as unknown as Conversation;
  const usage = { used: 1, size: 2, cost: null };
  const known = { usage, subagents: [{ sessionId: 'child' }], plans: [{ type: 'markdown', planId: 'p' }] };
  test('keeps what only the older one knows of the session, and nothing that it knows better', () => {
    const older = of({ ...known, info: { title: 'Tea', updatedAt: null } });
    const joined = mergeConversations(older, of({ info: { title: null, updatedAt: 'y' } }));
    expect(joined).toEqual(of({ ...known, info: { title: 'Tea', updatedAt: 'y' } }));
    const own = of({ ...known, info: { title: 'Coffee', updatedAt: 'x' }, usage: { ...usage, used: 9 } });
    expect(mergeConversations(older, own)).toBe(own);
    expect(mergeConversations(empty, empty)).toBe(empty);
  });

  test('has the cursors of both, each once', () => {
    const [a, b, c] = [{ cursorId: 'a' }, { cursorId: 'b' }, { cursorId: 'c' }];
    const newer = of({ cursors: [{ ...b, capabilities: { fork: {} } }, c] });
    const { cursors } = mergeConversations(of({ cursors: [a, b] }), newer);
    expect(cursors).toEqual([a, ...(newer.cursors ?? [])]);
    expect(mergeConversations(of({ cursors: [b] }), newer)).toBe(newer);
    expect(mergeConversations(newer, empty).cursors).toEqual(newer.cursors);
  });

  const ended = { exitStatus: { exitCode: 1, signal: null } };
  const killed = { exitStatus: { exitCode: null, signal: 'SIGTERM' } };
  const unknown = { exitStatus: { exitCode: null, signal: null } };
  test.each([
    ['how it ended', ended, unknown, ended],
    ['how it ended later', unknown, ended, ended],
    ['how it was killed', killed, unknown, killed],
    ['that it ended', unknown, {}, unknown],
    ['its longer output', { output: 'ab' }, { output: 'a', ...ended }, { output: 'ab', ...ended }],
    ['more that was dropped', { output: 'ab' }, { droppedBytes: 5 }, { droppedBytes: 5 }],
  ])('has of a command %s', (_, older, newer, expected) => {
    const terminal = { terminalId: 't', output: 'a', droppedBytes: 0, exitStatus: null };
    const showing = (fields: object) => of({ terminals: { t: { ...terminal, ...fields } } });
    const { terminals } = mergeConversations(showing(older), showing(newer));
    expect(terminals).toEqual({ t: { ...terminal, ...expected } });
  });

  const id = { kind: 'toolCall', key: 'tool:t', toolCallId: 't', origin: 'replay' };
  const call = (fields: object) => of({ entries: [{ ...id, ...fields }] });
  const lacking = { content: [], locations: [], name: null, title: null, status: 'pending' };
  const called = (text: string, status: string) => ({
    ...{ content: [{ type: 'session', sessionId: text }], locations: [{ path: text }] },
    ...{ name: text, title: text, rawInput: text, rawOutput: text, status },
  });
  const [has, better] = [called('a', 'completed'), called('b', 'failed')];
  test('has what a replay of a call leaves out', () => {
    const newer = call(lacking);
    expect(mergeConversations(call(has), newer).entries).toMatchObject([has]);
    expect(mergeConversations(call(lacking), newer)).toBe(newer);
    expect(mergeConversations(call(has), call(better)).entries).toMatchObject([better]);
  });
});

test('a conversation is written as JSON in slices', async () => {
  const conversation = foldUpdates(empty, [
    ...Array.from({ length: 40 }, (_, index) => said('agent', 'x'.repeat(20_000), `m${index}`)),
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: 'YQ==' },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'y', data: 'YQ==' },
  ]);
  let isWritten = false;
  const writing = jsonText(conversation).finally(() => {
    isWritten = true;
  });
  // All that needs no turn of the event loop happens first.
  for (let count = 0; count < 10_000; count++) await Promise.resolve();
  expect(isWritten).toBe(false);
  expect(JSON.parse(await writing)).toEqual(conversation);
});
