import * as v from 'valibot';
import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import { InvalidParamsError } from '../../core/base/errors.ts';
import {
  callback,
  checkOptions,
  hasMethods,
  oneOf,
  optional,
  optionsObject,
} from '../../core/base/options.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { Session } from '../../core/client/session/session.ts';
import { originOf } from '../../core/client/session/session-origin.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { DamageReports, damagesOf, showingDamages } from './damage.ts';
import { directoryStorage } from './directory/directory-storage.ts';
import { recordFiles } from './directory/files.ts';
import { type ExportFormat, exporters } from './export.ts';
import { listed } from './listing.ts';
import { type PruneOptions, pruned } from './prune.ts';
import { Recording } from './recording.ts';
import { type ReopenedSession, type ReopenOptions, reopenSession } from './reopen.ts';
import { mayMatch, searchConversation, searchPattern } from './search.ts';
import { sessionRecords } from './session-records.ts';
import type { ListedRecord, StoredRecord, TranscriptFilter, TranscriptStorage } from './storage.ts';
import type { TranscriptHit, TranscriptInfo } from './transcript.ts';
import { damagedTranscript, newerTranscript, TranscriptError } from './transcript-error.ts';
import {
  byStoredId,
  findListed,
  findStored,
  type Place,
  recordsOfSession,
  transcriptsOf,
} from './transcript-id.ts';
import type { Transcripts, TranscriptsOptions } from './transcripts.ts';
import { readRecords, wholeConversation, wholeOfRecords } from './whole.ts';

const optionsSchema = optionsObject({
  directory: optional(v.pipe(v.string('must be a path'), v.nonEmpty('must not be empty'))),
  storage: optional(
    v.custom<TranscriptStorage>(
      (value) => hasMethods(value, 'append', 'read', 'list', 'remove'),
      'must have the methods append, read, list and remove',
    ),
  ),
  onDiagnostic: optional(callback),
});
const wordsSchema = optionsObject({
  text: v.pipe(v.string('must be a text'), v.maxLength(5000, 'must have at most 5000 characters')),
});
const filterSchema = optionsObject({ cwd: optional(v.string('must be a path')) });
// The names of the table are its keys.
const exportSchema = optionsObject({ format: oneOf(...(Object.keys(exporters) as ExportFormat[])) });
const pruneSchema = optionsObject({
  olderThan: optional(v.date('must be a Date')),
  maxBytes: optional(v.pipe(v.number('must be a number'), v.minValue(0, 'must not be negative'))),
  keep: optional(
    v.pipe(v.number('must be a number'), v.integer('must be whole'), v.minValue(0, 'must not be negative')),
  ),
});

/**
 * Opens transcripts that are kept in a directory, or in another storage.
 *
 * @throws {@link TranscriptError} if the directory cannot be used.
 *
 * @example
 * ```ts
 * await using transcripts = await openTranscripts({ directory: '/home/user/.my-editor/transcripts' });
 * transcripts.record(session);
 * ```
 */
export async function openTranscripts(options: TranscriptsOptions): Promise<Transcripts> {
  const { directory, storage, onDiagnostic } = checkOptions('openTranscripts', optionsSchema, options);
  if ((directory === undefined) === (storage === undefined))
    throw new InvalidParamsError(
      'openTranscripts: options must have either directory or storage. Nothing was done.',
    );
  // The schema has checked that it is a function.
  const listener = onDiagnostic as DiagnosticListener | undefined;
  const damages = new DamageReports();
  const onUnreadable = (why: string) => damages.tell(why, listener);
  const place = storage ?? (await directoryStorage(directory ?? '', recordFiles, onUnreadable));
  return new OpenTranscripts(place, damages, listener);
}

class OpenTranscripts implements Transcripts {
  readonly #storage: TranscriptStorage;
  readonly #onDiagnostic: DiagnosticListener | undefined;
  readonly #recordings = new Map<Session, Recording>();
  readonly #damages: DamageReports;
  #isClosed = false;

  constructor(
    storage: TranscriptStorage,
    damages: DamageReports,
    onDiagnostic: DiagnosticListener | undefined,
  ) {
    this.#storage = storage;
    this.#damages = damages;
    this.#onDiagnostic = onDiagnostic;
  }

  record(session: Session): () => Promise<void> {
    const known = this.#recordings.get(session);
    if (known?.isStopped === false) return () => this.#stop(known);
    const report = this.#onDiagnostic ?? originOf(session)?.report ?? (() => {});
    const storage = this.#damages.forRecording(this.#storage, report);
    const id = sessionRecords(session).ids.get(this.#storage);
    const recording = new Recording({ session, storage, report, before: known, id });
    this.#recordings.set(session, recording);
    void session.closed.then(() => this.#stop(recording));
    return () => this.#stop(recording);
  }

  async #stop(recording: Recording): Promise<void> {
    await recording.stop();
    if (this.#recordings.get(recording.session) === recording) this.#recordings.delete(recording.session);
  }

  async *list(filter: TranscriptFilter = {}): AsyncGenerator<TranscriptInfo> {
    checkOptions('list', filterSchema, filter);
    // The id of a transcript depends on all records with this id.
    yield* listed(await this.#records(), filter);
  }

  async #records(): Promise<readonly ListedRecord[]> {
    const records: ListedRecord[] = [];
    for await (const record of this.#storage.list()) records.push(record);
    return records;
  }

  async read(id: string): Promise<Conversation> {
    return this.#conversationOf(id, await this.#read(id));
  }

  async #read(id: string): Promise<readonly StoredRecord[]> {
    const places = await findStored(this.#storage, id);
    return places.flatMap(({ records }) => records.map(({ record }) => record));
  }

  async *search(text: string, filter: TranscriptFilter = {}): AsyncGenerator<TranscriptHit> {
    checkOptions('search', wordsSchema, { text });
    checkOptions('search', filterSchema, filter);
    const pattern = searchPattern(text);
    if (!pattern) return;
    const { cwd } = filter;
    // The records of one transcript may have several directories, and all of them are searched.
    const all = await this.#records();
    const stored = byStoredId(all);
    const transcripts = transcriptsOf(all);
    for (const { id } of listed(all)) {
      if (this.#isClosed) return;
      const own = transcripts.get(id) ?? [];
      if (cwd !== undefined && !own.some((record) => record.cwd === cwd)) continue;
      const records = await this.#recordsOf(own, stored);
      if (!mayMatch(records, pattern)) continue;
      this.#damages.report(id, damagesOf(records), this.#onDiagnostic);
      const conversation = wholeConversation(readRecords(records).records);
      if (conversation) yield* searchConversation(id, conversation, pattern);
    }
  }

  /** The records that were listed of a transcript, and those that have taken their place since. */
  async #recordsOf(
    own: readonly ListedRecord[],
    all: ReadonlyMap<string, readonly ListedRecord[]>,
  ): Promise<readonly StoredRecord[]> {
    const found: StoredRecord[] = [];
    for (const [id, first] of new Map(own.map((record) => [record.id, record]))) {
      const writers = all.get(id)?.map(({ writer }) => writer) ?? [];
      const stored = await this.#damages.readable(this.#storage, id, writers, this.#onDiagnostic);
      const isAll = own.filter((record) => record.id === id).length === writers.length;
      found.push(...(isAll ? stored : recordsOfSession(stored, first)));
    }
    return found;
  }

  /** @throws {@link TranscriptError} if there is nothing to read. */
  #conversationOf(id: string, stored: readonly StoredRecord[]): Conversation {
    if (stored.length === 0)
      throw new TranscriptError(
        'transcript.not_found',
        `There is no transcript ${JSON.stringify(id)}. \`list\` has the ids of those that exist.`,
      );
    const { records, newer } = readRecords(stored);
    const damages = damagesOf(stored);
    const conversation = wholeConversation(records);
    if (!conversation && newer[0]) throw newerTranscript(id, newer[0].version);
    const [{ why } = { why: 'each of its records says that another one has its content' }] = damages;
    if (!conversation) throw damagedTranscript(id, why);
    this.#damages.report(id, damages, this.#onDiagnostic);
    return showingDamages(conversation, damages);
  }

  async reopen(
    id: string,
    connection: ClientConnection,
    options: ReopenOptions = {},
  ): Promise<ReopenedSession> {
    const stored = await this.#read(id);
    const saved = this.#conversationOf(id, stored);
    const { records } = readRecords(stored);
    // A conversation was read, so there is a record.
    const header = records.at(-1)?.header ?? { id, sessionId: id, agent: null, cwd: '', createdAt: '' };
    const isOpen = connection.sessions.some(({ sessionId }) => sessionId === header.sessionId);
    const reopened = await reopenSession(connection, header, saved, options);
    if (!reopened.session || isOpen) return reopened;
    const known = sessionRecords(reopened.session);
    known.ids.set(this.#storage, header.id);
    known.creation = records.flatMap(({ header: { creation } }) => creation ?? [])[0];
    for (const [key, { origins }] of wholeOfRecords(records)?.sources ?? []) known.origins.set(key, origins);
    return reopened;
  }

  async export(id: string, options: { readonly format: ExportFormat }): Promise<string> {
    const { format } = checkOptions('export', exportSchema, options);
    return exporters[format](await this.read(id));
  }

  async remove(id: string): Promise<void> {
    const all = await this.#records();
    const own = findListed(byStoredId(all), id).flatMap(({ records }) => records);
    for (const recording of this.#recordings.values()) {
      const isRecord = ({ writer }: ListedRecord) => writer === recording.writer;
      // The first batch may still be on its way: then its record is not listed.
      if (all.some(isRecord) ? !own.some(isRecord) : recording.id !== id) continue;
      await recording.discard();
      await this.#stop(recording);
    }
    await this.#remove(id, byStoredId(await this.#records()));
  }

  async #remove(id: string, all: ReadonlyMap<string, readonly ListedRecord[]>): Promise<void> {
    const places = findListed(all, id);
    const removals = places.map(({ id: stored, records, isAll }) => {
      return this.#storage.remove(stored, isAll ? undefined : records.map(({ writer }) => writer));
    });
    // What cannot be listed is removed as well.
    if (!places.some((place) => place.id === id)) removals.push(this.#storage.remove(id));
    await Promise.all(removals);
  }

  async prune(options: PruneOptions): Promise<readonly string[]> {
    const given = checkOptions('prune', pruneSchema, options);
    // A setting that is missing must not remove everything.
    if (Object.values(given).every((value) => value === undefined))
      throw new InvalidParamsError(
        'prune: options must have olderThan, maxBytes or keep. Nothing was removed. { keep: 0 } removes all transcripts.',
      );
    const all = await this.#records();
    const found = listed(all);
    const stored = byStoredId(all);
    // A session may have been opened while the records were listed.
    const removed = pruned(found, options)
      .map(({ id }) => id)
      .filter((id) => !this.#isRecorded(id, findListed(stored, id)));
    // At the same time, so that a storage can remove them together.
    const ends = await Promise.allSettled(removed.map((id) => this.#remove(id, stored)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return removed;
  }

  #isRecorded(id: string, places: readonly Place<ListedRecord>[]): boolean {
    const writers = new Set(places.flatMap(({ records }) => records.map(({ writer }) => writer)));
    const recordings = [...this.#recordings.values()];
    return recordings.some(
      (each) => each.id === id || (each.writer !== undefined && writers.has(each.writer)),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#recordings.values()].map((recording) => this.#stop(recording)));
    await this.#storage.close?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
