import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import { SentSecrets } from '../../../src/core/base/secrets.ts';
import { setCreated } from '../../../src/core/client/session/session-origin.ts';
import { terminalIdsOf } from '../../../src/core/conversation/entry-index.ts';
import type { Conversation, ConversationEntry } from '../../../src/core/model/conversation.ts';
import { absorb } from '../../../src/records/transcripts/absorb.ts';
import { damagesOf } from '../../../src/records/transcripts/damage.ts';
import { idInName, recordFileName } from '../../../src/records/transcripts/directory/file-names.ts';
import { entryTexts } from '../../../src/records/transcripts/entry-text.ts';
import {
  endLine,
  headerLine,
  PatchSchema,
  type RecordHeader,
  readHeader,
  readRecord,
  relationsText,
  snapshotLine,
} from '../../../src/records/transcripts/format.ts';
import { jsonText } from '../../../src/records/transcripts/json-text.ts';
import { listed } from '../../../src/records/transcripts/listing.ts';
import { memoryStorage } from '../../../src/records/transcripts/memory-storage.ts';
import { originsJson, readCounts, readOrigins } from '../../../src/records/transcripts/origins.ts';
import { pruned } from '../../../src/records/transcripts/prune.ts';
import { Redaction } from '../../../src/records/transcripts/redaction.ts';
import { mayMatch, searchConversation, searchPattern } from '../../../src/records/transcripts/search.ts';
import { sessionRecords } from '../../../src/records/transcripts/session-records.ts';
import { compareTimes, earliest, isTime, timeAfter } from '../../../src/records/transcripts/times.ts';
import { firstLineOf } from '../../../src/records/transcripts/title.ts';
import { readTranscriptFile } from '../../../src/records/transcripts/transcript-file.ts';
import {
  byStoredId,
  findListed,
  findTranscriptId,
  transcriptsOf,
} from '../../../src/records/transcripts/transcript-id.ts';
import { wholeOfRecords } from '../../../src/records/transcripts/whole.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { expectGolden, type Makers } from '../../support/golden-sections.ts';
import { mergeConversations, recordOf } from '../../support/merged-recordings.ts';
import { outline } from '../../support/open-session.ts';
import { said, storeSession } from '../../support/recorded-stores.ts';

const empty = emptyConversation('s');
const text = (value: string) => ({ type: 'text', text: value });
const terminals = {
  x: { terminalId: 'x', command: 'ls', output: '\u001b[1ma', exitStatus: null },
  y: { terminalId: 'y', command: null, output: 'b', exitStatus: null },
} as unknown as Conversation['terminals'];
const tool = { kind: 'toolCall', key: 'k', title: 'T', locations: [{ path: '/p' }], content: [] };

const two = foldUpdates(empty, [said('user', 'A', 'a'), said('agent', 'B', 'b')]);

const good = {
  ...{ id: 'i', writer: 'w', version: 2, sessionId: 's', creation: 'c', cwd: '/p', title: 'T' },
  agent: { name: 'a', version: '1', title: 'A' },
  ...{ createdAt: '2026-01-01T00:00Z', firstAt: '2025-01-01T00:00Z', updatedAt: '2026-01-02T00:00Z' },
  process: { host: 'h', pid: 1, thread: 2 },
  includes: ['x', 'y'],
};

const record = (id: string, writer: string, fields: object = {}) => ({
  ...{ id, writer, version: 2, sessionId: 's', agent: null, cwd: '/p', title: null },
  ...{ updatedAt: '2026-01-01T00:00Z', bytes: 10, ...fields },
});

/** A record without an id: `1 a x` is of a session that the agent `x` created at the time `1 a`. */
const createdBy = (said: string, index: number) => {
  const [, creation, name] = /^(.*?) ?([xy1]?)$/.exec(said) ?? [];
  return record('', `${index}`, { creation: creation || undefined, agent: name ? { name } : null });
};

const question = foldUpdates(emptyConversation('s1'), [
  said('user', 'A question.', 'm1'),
  said('agent', 'You must ', 'm2'),
]);
const appended = (text: string) => ({ op: 'append', path: ['entries', 1, 'content', 0, 'text'], text });

/** The lines of a record: `H` is the header, `S` the conversation, `+text` adds to the answer, and a number adds so often. */
function linesOf(given: string | number | { readonly snapshot?: object }): readonly string[] {
  const line = { updatedAt: good.updatedAt, title: 'T' };
  if (given === 'H') return [headerLine({ ...good, version: 1 })];
  if (given === 'S') return linesOf({ snapshot: {} });
  if (typeof given === 'number') return Array(given).fill(linesOf('+!')).flat();
  if (typeof given === 'string')
    return given.startsWith('+')
      ? [`${JSON.stringify({ ...line, patch: [appended(given.slice(1))] })}\n`]
      : [given];
  const snapshot = given.snapshot && { snapshot: { ...question, ...given.snapshot } };
  return [`${JSON.stringify({ ...line, ...given, ...snapshot })}\n`];
}

const at = (ms: string | number | undefined) =>
  typeof ms === 'number' ? `2026-01-01T00:00:00.00${ms}Z` : ms;

/** When a record was written, and how many entries of others it began behind. */
type Known = Partial<Record<'createdAt' | 'firstAt' | 'updatedAt', string | number>> & {
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
function written(writer: string, entries: string, { seen = {}, updatedAt, createdAt, firstAt }: Known = {}) {
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
  const own = recordOf(writer, conversation);
  const header = { ...own.header, createdAt: at(createdAt) ?? own.header.createdAt, firstAt: at(firstAt) };
  const known = { origins, seen: new Map(Object.entries(seen)), updatedAt: at(updatedAt) ?? own.updatedAt };
  return { ...own, ...known, header };
}

/** A session, and when its recording begins. */
interface OwnRecord {
  readonly has: string;
  readonly given?: number;
  readonly writer?: string;
  readonly broken?: readonly string[];
  readonly earlier?: readonly string[];
  readonly now?: number;
}

interface SavedRecord extends Known {
  readonly has: string;
  readonly program?: keyof typeof programs;
  readonly isEnded?: boolean;
  readonly includes?: readonly string[];
}

const host = hostname();

/** The programs that have written records. */
const programs = {
  own: { pid: process.pid, thread: threadId },
  'this one': { host },
  'another thread of this one': { host, thread: threadId + 1 },
  'one that runs': { host, pid: process.ppid },
  'one that has ended': { host, pid: 2 ** 31 - 2 },
  'one whose number is none': { host, pid: 1.5 },
};

/** Each entry: what is said, or the title of a call with its terminals and their output. */
function shown(conversation: Conversation): string {
  const each = conversation.entries.map((entry) => {
    const outputs = terminalIdsOf(entry).map((id) => `${id}=${conversation.terminals[id]?.output ?? ''}`);
    const [text = ''] = outline({ ...conversation, entries: [entry] });
    return entry.kind === 'toolCall' ? [entry.title, ...outputs].join(' ') : text.replace(/^\w+: /, '');
  });
  return each.join(' / ');
}

const conversation = foldUpdates(emptyConversation('s1'), [
  said('user', 'A question', 'm1'),
  said('agent', 'An answer that is longer than the secrets', 'm2'),
  { sessionUpdate: 'session_info_update', title: 'The title' },
  { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: btoa('Some output') },
  { sessionUpdate: 'terminal_output_chunk', terminalId: 'u', data: btoa('Other output') },
]);
const secrets = new SentSecrets();
secrets.add(['A question or two', 'Some output of it', 'The title of a book', 'An answer']);
const writer = 'a1'.repeat(16);

const makers: Makers = {
  'the first line of a conversation, of at most 100 characters': (
    prompts: readonly (string | object[])[],
  ) => {
    const prompted = prompts.map((content, index) => ({
      ...{ sessionUpdate: 'user_message', messageId: `m${index}` },
      content: typeof content === 'string' ? [text(content)] : content,
    }));
    return firstLineOf(foldUpdates(empty, [said('agent', 'Hello.'), ...(prompted as [])]), 100);
  },
  'times in their order': (one: string, other: string) => {
    const [before, after] = compareTimes(one, other) < 0 ? [one, other] : [other, one];
    expect([earliest([undefined, after, before]), compareTimes(after, before)]).toEqual([
      before,
      -compareTimes(before, after),
    ]);
    return [before, after].map((time) => `${time}${isTime(time) ? '' : ' (none)'}`).join(' < ');
  },
  'the time after others': (...times: readonly string[]) => timeAfter(times),
  'what a search looks at in an entry': (fields: object) => [
    ...entryTexts({ ...tool, ...fields } as unknown as ConversationEntry, { ...empty, terminals }),
  ],
  'whether a record with these lines can have the word "leap", without decoding it': (
    ...lines: readonly object[]
  ) => {
    const pattern = searchPattern('leap');
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    // To decode it takes most of the time.
    const inBytes = Object.defineProperty({ writer: 'w', bytes: Buffer.from(text) }, 'text', {
      get: () => expect.unreachable(),
    });
    const found = [{ writer: 'w', text }, inBytes as never].map((one) => pattern && mayMatch([one], pattern));
    return [...new Set(found)];
  },
  'what a search for words shows of a text': (words: string, content: string) => {
    const pattern = searchPattern(words);
    const bytes = Buffer.from(content);
    if (!pattern) return 'no word';
    if (!mayMatch([{ writer: 'w', text: content, bytes }], pattern)) return undefined;
    expect(mayMatch([{ writer: 'w', text: content }], pattern)).toBe(true);
    const [hit] = [...searchConversation('i', foldUpdates(empty, [said('user', content)]), pattern)];
    const { start = 0, end = 0 } = hit?.match ?? {};
    return hit && `${hit.text.slice(0, start)}[${hit.text.slice(start, end)}]${hit.text.slice(end)}`;
  },
  'the origins of entries of the record w, as JSON and read again': (
    origins: Readonly<Record<string, string[]>>,
  ) => {
    const json = originsJson('w', two, new Map(Object.entries(origins)));
    return [json, Object.fromEntries(readOrigins(json))];
  },
  'damaged origins, and numbers of entries': (json: unknown) =>
    [readOrigins(json), readCounts(json)].map((known) => Object.fromEntries(known)),
  'what a record says of others': ({
    seen = {},
    hadPlans = false,
  }: Known & { readonly hadPlans?: boolean }) =>
    relationsText('w', two, { origins: new Map(), seen: new Map(Object.entries(seen)), hadPlans }),
  'what of a header is read in another way, or is none, if it is damaged': (fields: object) => {
    // A file can have anything.
    const read = readHeader(headerLine({ ...good, ...fields } as typeof good));
    const [before, after] = [good, read ?? {}].map(
      (header) => new Map<string, unknown>(Object.entries(header)),
    );
    const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
    const changed = [...keys].filter(
      (key) => JSON.stringify(before?.get(key)) !== JSON.stringify(after?.get(key)),
    );
    return read && changed.map((key) => `${key}: ${JSON.stringify(after?.get(key))}`).join(', ');
  },
  'whether this is an operation of a patch': (operation: object) =>
    v.is(PatchSchema, [{ op: 'unset', path: [] }, operation]),
  'the record with these lines': (...lines: readonly (string | number | object)[]) => {
    const text = lines.flatMap(linesOf).join('');
    const reading = readRecord(text);
    if (!('conversation' in reading)) return reading;
    const { header: _, conversation, origins, seen, ...info } = reading;
    const { plans } = conversation;
    expect(readTranscriptFile(text, 'a file')?.isDamaged).toBe(info.damage !== undefined);
    return [{ ...info, plans }, outline(conversation), [...origins, ...seen]];
  },
  'the ids of transcripts of sessions that have one id': (...said: readonly string[]) => {
    const records = said.map(createdBy);
    const found = transcriptsOf(records);
    for (const [id, own] of found) {
      // An id stays when the others are removed.
      const place = { id: '', records: own, isAll: true };
      expect(findListed(byStoredId(own), id)).toEqual([place]);
      expect(findListed(byStoredId(records), id)).toEqual([{ ...place, isAll: found.size === 1 }]);
    }
    for (const id of ['other', ' (z)', ' (undefined)'])
      expect(findListed(byStoredId(records), id)).toEqual([]);
    return Object.fromEntries(Array.from(found, ([id, own]) => [id, own.map((each) => each.writer).sort()]));
  },
  'the id of the transcript of a session beside these records': async (
    {
      agent = good.agent,
      isLoaded = false,
    }: { readonly agent?: RecordHeader['agent']; readonly isLoaded?: boolean },
    ...records: readonly { readonly creation?: string }[]
  ) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2) });
    const { session } = storeSession('i');
    if (!isLoaded) setCreated(session);
    vi.useRealTimers();
    const { creation } = sessionRecords(session);
    const storage = memoryStorage();
    for (const [index, header] of records.entries()) {
      const own = header.creation === 'own' && { creation };
      const none = header.creation === '' && { creation: undefined };
      const info = { ...good, writer: `${index}`, ...header, ...own, ...none };
      await storage.append({ info, mode: 'replace', lines: headerLine(info) });
    }
    const id = await findTranscriptId(storage, session, agent);
    const found = sessionRecords(session).creation;
    return [id, found === creation ? 'its own' : found];
  },
  'the list of transcripts': (filter: { readonly cwd?: string }, ...records: readonly object[]) =>
    listed(
      records.map((fields) => record('a', '', fields)),
      filter,
    ).map(({ id, title, agent, cwd, updatedAt, bytes, isNewer }) =>
      [id, title, agent?.name, cwd, updatedAt.slice(5, 10), bytes, ...(isNewer ? ['newer'] : [])].join(' '),
    ),
  'what prune removes of transcripts of 10 bytes each': (
    options: { readonly olderThan?: string },
    ...times: readonly string[]
  ) => {
    const olderThan = options.olderThan === undefined ? undefined : new Date(options.olderThan);
    const transcripts = times.map((updatedAt) => ({ ...record('a', '1'), updatedAt, isNewer: false }));
    return pruned(transcripts, { ...options, olderThan }).map(({ updatedAt }) => updatedAt);
  },
  'what a newer record has, or keeps of an older one': (older: object, newer: object) => {
    // Only what a merge looks at.
    const own = { ...empty, ...newer } as Conversation;
    const merged = mergeConversations({ ...empty, ...older } as Conversation, own);
    const has = Object.keys({ ...older, ...newer }).map((key) => [key, merged[key as keyof Conversation]]);
    return merged === own ? 'the newer one' : Object.fromEntries(has);
  },
  'what several records have, as one': (given: string, known: Readonly<Record<string, Known>> = {}) => {
    const each = given.split(' | ').map((short, index) => written(`${index + 1}`, short, known[index + 1]));
    const joined = [each, each.toReversed()].map((all) => wholeOfRecords(all)?.conversation ?? empty);
    for (const { entries, terminals } of joined) {
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
      for (const [id, { terminalId }] of Object.entries(terminals)) expect(terminalId).toBe(id);
    }
    return [...new Set(joined.map(shown))];
  },
  'what a session finds in the records before it': async (
    { has, given = 9, writer = '', broken = [], earlier = [], now = 5 }: OwnRecord,
    ...records: readonly SavedRecord[]
  ) => {
    const storage = memoryStorage();
    for (const [index, { has, program, isEnded, includes = [], ...known }] of records.entries()) {
      const { header, conversation, updatedAt, ...relations } = written(`${index + 1}`, has, known);
      const info = { ...good, ...header, id: 's', agent: null, creation: undefined, updatedAt };
      const process = { host: 'another', ...programs.own, ...(program && programs[program]) };
      const text = relationsText(info.writer, conversation, relations);
      const snapshot = snapshotLine(info, JSON.stringify(conversation), text);
      const lines = headerLine({ ...info, process, includes }) + snapshot + (isEnded ? endLine(info) : '');
      await storage.append({ info, mode: 'replace', lines });
    }
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${at(now)}`) });
    const begun = { id: 's', writer, agent: null, createdAt: writer && `${at(9)}`, includes: [] };
    const record = { ...written(writer, has), header: begun };
    const own = { record, given, earlier: new Set(earlier), broken: new Set(broken) };
    const { whole, origins, counts, ...found } = await absorb(storage, own);
    vi.useRealTimers();
    return [shown(whole.conversation), Object.fromEntries(origins), Object.fromEntries(counts), found];
  },
  'a conversation without these secrets, one after the other': (...sent: readonly string[]) => {
    const secrets = new SentSecrets();
    const redaction = new Redaction(secrets);
    let safe = redaction.conversation(conversation);
    expect(safe).toBe(conversation);
    for (const text of sent) {
      secrets.add([text]);
      redaction.renew();
      safe = redaction.conversation(conversation);
    }
    const [before, after, again] = [conversation, safe, redaction.conversation(conversation)].map(
      ({ entries, terminals }): readonly object[] => [...entries, ...Object.values(terminals)],
    );
    const shown = after?.map((part, index) => {
      expect(again?.[index]).toBe(part);
      return part === before?.[index] ? 'as it was' : part;
    });
    return safe === conversation ? [redaction.hasFound] : [redaction.hasFound, safe.info, ...(shown ?? [])];
  },
  'whether a patch brings one of four secrets': (...patch: readonly never[]) => {
    expect(new Redaction(new SentSecrets()).brings(conversation, patch)).toBe(false);
    return new Redaction(secrets).brings(conversation, patch);
  },
  'the name of the file of a transcript': (id: string) => {
    const name = recordFileName(id, writer);
    expect([idInName(name, ['other', id]), idInName('notes.txt', [id])]).toEqual([id, undefined]);
    return name.replace(/[\da-f]{32}\./, 'HASH.').replace(writer, 'WRITER');
  },
};

test('what is made of records, entries, times and words is what the golden file says', () =>
  expectGolden(new URL('golden/parts.txt', import.meta.url), makers));

test('a damaged record is no damage if another one has its content', () => {
  const damaged = { writer: 'v', text: ['H', 'S', 'x\n'].flatMap(linesOf).join('') };
  const header = headerLine({ ...good, includes: ['v'] });
  const other = { writer: 'w', text: header + linesOf('S').join('') };
  expect(damagesOf([damaged])).toEqual([{ writer: 'v', why: 'line 3 is not a line of a transcript' }]);
  expect(damagesOf([damaged, other])).toEqual([]);
});

test('a name that is no name of a writer is in no path', () => {
  for (const wrong of [`../${writer}`, `${writer}/x`])
    expect(() => recordFileName('s1', wrong)).toThrow(`"${wrong}" is not the name of a writer.`);
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
