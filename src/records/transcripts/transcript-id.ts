import type { Session } from '../../core/client/session/session.ts';
import { createdAtOf } from '../../core/client/session/session-origin.ts';
import { type RecordHeader, readHeader } from './format.ts';
import { sessionRecords } from './session-records.ts';
import type { ListedRecord, RecordInfo, StoredRecord, TranscriptStorage } from './storage.ts';
import { compareTimes } from './times.ts';
import { compareTexts } from './whole.ts';

/** What a record says about the session that it is of. */
type RecordOf = Pick<RecordInfo, 'agent' | 'creation'>;

/** The records of one session, of those that have one id in the storage. */
interface SessionGroup<T> {
  /** The id of the transcript, and those that it has if the other records with its id are removed. */
  readonly names: readonly [string, ...string[]];
  readonly records: readonly T[];
}

/**
 * The records that have one id in the storage, by session: of one agent, and created once. Several programs can begin to
 * record different sessions under one id at the same time. A record that does not say it is of the first session.
 */
function groupsOf<T extends RecordOf>(id: string, records: readonly T[]): readonly SessionGroup<T>[] {
  return [...byFirstCreation(records, ({ agent }) => agent?.name)].flatMap(([agent, ofAgent], index) => {
    const full = agent === undefined ? id : `${id} (${agent})`;
    const own = index === 0 ? id : full;
    let before: string | undefined;
    return [...byFirstCreation(ofAgent, ({ creation }) => creation)].map(([creation = '', found], number) => {
      const [time = ''] = creation.split(' ');
      const name = number === 0 ? own : `${own} (${time === before ? creation : time})`;
      before = time;
      const others = [time, creation].flatMap((said) => [`${own} (${said})`, `${full} (${said})`]);
      return { names: [name, full, ...others] as const, records: found };
    });
  });
}

/** The records by what they say, the one of the first session first. What says nothing belongs to this one. */
function byFirstCreation<T extends RecordOf>(
  records: readonly T[],
  said: (record: T) => string | undefined,
): ReadonlyMap<string | undefined, readonly T[]> {
  const groups = new Map<string | undefined, T[]>();
  const sorted = [...records].sort((one, other) => compareTexts(orderOf(one), orderOf(other)));
  const first = sorted.map(said).find((value) => value !== undefined);
  for (const record of sorted) {
    add(groups, said(record) ?? first, [record]);
  }
  return groups;
}

function orderOf({ creation, agent }: RecordOf): string {
  return `${creation ?? ''} ${agent?.name ?? ''}`;
}

/** The listed records by the id that they have in the storage. */
export function byStoredId(listed: readonly ListedRecord[]): ReadonlyMap<string, readonly ListedRecord[]> {
  const groups = new Map<string, ListedRecord[]>();
  for (const record of listed) add(groups, record.id, [record]);
  return groups;
}

/** The listed records of each transcript, by its id. */
export function transcriptsOf(listed: readonly ListedRecord[]): ReadonlyMap<string, readonly ListedRecord[]> {
  const transcripts = new Map<string, ListedRecord[]>();
  for (const [id, records] of byStoredId(listed))
    for (const { names, records: own } of groupsOf(id, records)) add(transcripts, names[0], own);
  return transcripts;
}

function add<K, T>(groups: Map<K, T[]>, key: K, records: readonly T[]): void {
  const known = groups.get(key);
  if (known) known.push(...records);
  else groups.set(key, [...records]);
}

/** The records of a transcript that have one id in the storage. */
export interface Place<T> {
  readonly id: string;
  readonly records: readonly T[];
  /** Whether no record with this id is of another transcript. */
  readonly isAll: boolean;
}

/** Finds the records of a transcript. Those of a session that began together with another one have the id of that one. */
export async function findStored(
  storage: TranscriptStorage,
  id: string,
): Promise<readonly Place<{ readonly record: StoredRecord }>[]> {
  const places = idsOf(id).map(async (stored) => {
    const records = await storage.read(stored);
    return placesIn(
      stored,
      records.map((record) => ({ ...infoOf(record), record })),
      id,
    );
  });
  return (await Promise.all(places)).flat();
}

/** Finds the records of a transcript in a list. */
export function findListed(
  listed: ReadonlyMap<string, readonly ListedRecord[]>,
  id: string,
): readonly Place<ListedRecord>[] {
  return idsOf(id).flatMap((stored) => placesIn(stored, listed.get(stored) ?? [], id));
}

function placesIn<T extends RecordOf>(stored: string, all: readonly T[], id: string): readonly Place<T>[] {
  const groups = groupsOf(stored, all);
  const own = groups.find(({ names }) => names[0] === id) ?? groups.find(({ names }) => names.includes(id));
  return own ? [{ id: stored, records: own.records, isAll: groups.length === 1 }] : [];
}

/** The ids that the records of a transcript can have in the storage. */
function idsOf(id: string): readonly string[] {
  const start = id.endsWith(')') ? id.lastIndexOf(' (') : -1;
  return start < 0 ? [id] : [id, ...idsOf(id.slice(0, start))];
}

function infoOf(record: StoredRecord): RecordOf {
  const { agent = null, creation } = headerOf(record) ?? {};
  return { agent, creation };
}

/** The header of a record. `undefined` if it has none. */
export function headerOf({ text }: StoredRecord): RecordHeader | undefined {
  return readHeader(text.slice(0, Math.max(0, text.indexOf('\n'))));
}

/** Those of the records with one id that are of the session of a record. */
export function recordsOfSession(
  stored: readonly StoredRecord[],
  own: RecordOf & Pick<RecordInfo, 'id'>,
): readonly StoredRecord[] {
  const known = stored.map((record) => ({ ...infoOf(record), record }));
  const asked = { agent: own.agent, creation: own.creation, record: undefined };
  const group = groupsOf(own.id, [...known, asked]).find(({ records }) => records.includes(asked));
  return group?.records.flatMap(({ record }) => record ?? []) ?? [];
}

/**
 * The id for the transcript of a session: the id of the session. If another agent has a transcript with this id, the name
 * of the agent follows. If an earlier session of the agent has one, the time when this session was created follows.
 */
export async function findTranscriptId(
  storage: TranscriptStorage,
  session: Session,
  agent: RecordInfo['agent'],
): Promise<string> {
  const known = sessionRecords(session);
  const { sessionId } = session;
  const headers = await headersOf(storage, sessionId);
  const isOfAnother = headers.some((one) => one.agent && agent && one.agent.name !== agent.name);
  const id = isOfAnother ? `${sessionId} (${agent?.name})` : sessionId;
  const own = isOfAnother ? await headersOf(storage, id) : headers;
  const found = isOfEarlierSession(own, session) ? `${id} (${createdAtOf(session)})` : id;
  // A session that the agent had before continues the transcript with its id.
  known.creation ??= own.flatMap(({ creation }) => creation ?? []).sort(compareTexts)[0];
  return found;
}

/**
 * Whether all records are of sessions before the agent created this one. An agent that counts its sessions from one each
 * time it starts gives their ids again.
 */
export function isOfEarlierSession(
  headers: readonly Pick<RecordHeader, 'createdAt' | 'creation'>[],
  session: Session,
): boolean {
  const { creation: own } = sessionRecords(session);
  const createdAt = createdAtOf(session) ?? '';
  if (own === undefined || headers.length === 0) return false;
  return headers.every(({ creation, createdAt: began }) =>
    creation ? creation !== own : compareTimes(began, createdAt) < 0,
  );
}

async function headersOf(storage: TranscriptStorage, id: string): Promise<readonly RecordHeader[]> {
  return (await storage.read(id)).flatMap((record) => headerOf(record) ?? []);
}
