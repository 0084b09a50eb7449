import { type DiagnosticListener, errorMessage } from '../../core/base/diagnostic.ts';
import { instantOf } from '../../core/base/instant.ts';
import { backOffMs, type Deferred, deferred, unrefTimer } from '../../core/base/wait.ts';
import type { Session } from '../../core/client/session/session.ts';
import { originOf } from '../../core/client/session/session-origin.ts';
import { diffConversation } from '../../core/conversation/diff.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { absorb } from './absorb.ts';
import { endLine, formatVersion, headerLine, patchLine, relationsText, snapshotLine } from './format.ts';
import { jsonText } from './json-text.ts';
import { type Counts, originOf as entryOriginOf } from './origins.ts';
import { Redaction } from './redaction.ts';
import { sessionRecords } from './session-records.ts';
import type { RecordInfo, TranscriptStorage } from './storage.ts';
import { earliest } from './times.ts';
import { firstLineOf } from './title.ts';
import { findTranscriptId } from './transcript-id.ts';
import { endWriter, newWriter, thisProcess } from './writer.ts';

/** How long changes are collected for one batch, in milliseconds. */
const batchMs = 100;

/** How long a recording that failed waits before it tries again. */
const retries = { firstDelayMs: 1000, maxDelayMs: 30_000 };

/** How many times as long as its snapshot a record may be. So all that is written of a session grows as the session does. */
const maxRatio = 2;

/** How long a title from a prompt is, in characters. */
const maxTitleLength = 100;

/** What the session shows until it is loaded again. */
interface Life {
  /** Where its entries were first written that are in a record. */
  readonly origins: Map<string, readonly string[]>;
  /** How many entries it had when the recording began. */
  readonly given: number;
  /** How many entries the other records had then. */
  seen?: Counts;
  /** When the first recording began whose content its record has. */
  firstAt?: string | undefined;
  hadPlans?: boolean;
}

/** What is being written. */
interface OwnRecord {
  readonly life: Life;
  readonly writer: string;
  readonly includes: readonly string[];
  /** The conversation that the record has, and what is written of it: the same without secrets. */
  readonly conversation: Conversation;
  readonly safe: Conversation;
  /** The length of the record, and of the snapshot that it begins with, in characters. */
  readonly length: number;
  readonly snapshotLength: number;
  readonly hasPatches: boolean;
}

/** What a recording is made with. */
export interface RecordingOptions {
  readonly session: Session;
  readonly storage: TranscriptStorage;
  readonly report: DiagnosticListener;
  /** A recording of the same session that was stopped, and may still have a batch to write. */
  readonly before: Recording | undefined;
  /** The transcript that the session continues, if that is known. */
  readonly id: string | undefined;
}

/**
 * Records one session: its conversation, and then its changes, in batches. Whatever happens to the storage, the session
 * goes on.
 */
export class Recording {
  readonly session: Session;
  readonly #storage: TranscriptStorage;
  readonly #report: DiagnosticListener;
  readonly #redaction: Redaction;
  readonly #unsubscribe: () => void;
  /** Until it has ended. */
  #predecessor: Recording | undefined;
  /** The conversation that is to be recorded. */
  #latest: Conversation;
  /** What the session showed each time before it was loaded again: a load begins with an empty conversation. */
  readonly #before: { readonly conversation: Conversation; readonly life: Life }[] = [];
  #life: Life;
  #changedAt: string | undefined;
  /** When there was something to write. */
  #createdAt: string | undefined;
  #id: string | undefined;
  #record: OwnRecord | undefined;
  /** The records of this recording that end before the session was loaded again. */
  readonly #earlier = new Set<string>();
  /** The records of this recording that could not be continued. What they have is in the next one. */
  readonly #broken = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = false;
  #failures = 0;
  #isDiscarded = false;
  #isFinished = false;
  #stopped: Deferred<void> | undefined;

  constructor({ session, storage, report, before, id }: RecordingOptions) {
    this.session = session;
    this.#storage = storage;
    this.#report = report;
    this.#predecessor = before;
    this.#id = before ? before.#id : id;
    this.#redaction = new Redaction(originOf(session)?.caller.secrets);
    this.#latest = session.store.getSnapshot();
    this.#life = { origins: sessionRecords(session).origins, given: this.#latest.entries.length };
    this.#unsubscribe = session.store.subscribe(() => this.#changed());
    // The first batch does not wait: a program that is killed soon has it.
    void this.#write();
  }

  /** The transcript. Until the storage was asked, the id of the session, which almost every transcript has. */
  get id(): string {
    return this.#id ?? this.session.sessionId;
  }

  /** The record that is written. `undefined` if there is none at present. */
  get writer(): string | undefined {
    return this.#record?.writer;
  }

  /** Whether it takes no further changes. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Ends the recording. Resolves when everything is written, or when that has failed. Never rejects. */
  stop(): Promise<void> {
    if (this.#stopped) return this.#stopped.promise;
    this.#changed();
    this.#unsubscribe();
    this.#stopped = deferred();
    void this.#write();
    return this.#stopped.promise;
  }

  /** Ends the recording without a further batch, because its transcript is removed. */
  discard(): Promise<void> {
    this.#isDiscarded = true;
    void this.#predecessor?.discard();
    return this.stop();
  }

  #changed(): void {
    const next = this.session.store.getSnapshot();
    const latest = this.#latest;
    if (next === latest) return;
    if (next.entries.length === 0 && latest.entries.length > 0) {
      this.#before.push({ conversation: latest, life: this.#life });
      this.#life = { origins: sessionRecords(this.session).origins, given: 0 };
    }
    // Other fields, such as the commands, also change when an old session is opened.
    if (next.entries !== latest.entries || next.terminals !== latest.terminals)
      this.#changedAt = new Date().toISOString();
    this.#latest = next;
    if (this.#failures === 0) this.#schedule(batchMs);
  }

  #schedule(delayMs: number): void {
    if (this.#stopped || this.#writing || this.#timer) return;
    this.#timer = setTimeout(() => void this.#write(), delayMs);
    // A program does not wait for a disk that may never have space again.
    if (this.#failures > 0) unrefTimer(this.#timer);
  }

  /** Writes what there is to write. One batch after the other. Never rejects. */
  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing) return;
    this.#writing = true;
    let wasStopped: boolean;
    do {
      wasStopped = this.#stopped !== undefined;
      try {
        await this.#writeAll();
        this.#failures = 0;
      } catch (error) {
        this.#leaveRecord(this.#broken);
        this.#failures++;
        if (wasStopped) this.#tell(error, 'The last changes are not in it.');
        else if (this.#failures === 1)
          this.#tell(
            error,
            'The session goes on, and the recording tries again until it can write everything that is missing.',
          );
      }
      // A recording that was stopped meanwhile has a last batch.
    } while (this.#stopped && !wasStopped);
    this.#writing = false;
    if (this.#stopped) {
      this.#leaveRecord(this.#earlier);
      this.#stopped.resolve();
    } else if (this.#failures > 0) this.#schedule(backOffMs(this.#failures - 1, retries));
    else if (this.#latest !== this.#record?.conversation && this.#latest.entries.length > 0)
      this.#schedule(batchMs);
  }

  #tell(error: unknown, consequence: string): void {
    if (this.#isDiscarded) return;
    const why = errorMessage(error).replace(/\.$/, '');
    const message = `The transcript of the session ${JSON.stringify(this.session.sessionId)} could not be written: ${why}. ${consequence}`;
    this.#report({ rule: 'transcripts.not_written', severity: 'error', message });
  }

  /** The next batch is a whole record. */
  #leaveRecord(left: Set<string>): void {
    if (!this.#record) return;
    markOrigins(this.#record);
    left.add(this.#record.writer);
    endWriter(this.#record.writer);
    this.#record = undefined;
  }

  async #writeAll(): Promise<void> {
    // Two records of the same messages, both of which go on, would be read as two conversations.
    await this.#predecessor?.stop();
    this.#predecessor = undefined;
    if (this.#isDiscarded || this.#isFinished) return;
    this.#id ??= await findTranscriptId(this.#storage, this.session, this.#agent());
    for (let sealed = this.#before[0]; sealed; sealed = this.#before[0]) {
      await this.#bring(this.#id, sealed.conversation, sealed.life);
      this.#leaveRecord(this.#earlier);
      this.#createdAt = undefined;
      this.#before.shift();
    }
    if (this.#stopped) {
      await this.#finish(this.#id);
      // The record may have more now than the session shows.
      this.#isFinished = true;
    } else await this.#bring(this.#id, this.#latest, this.#life);
  }

  #agent(): RecordInfo['agent'] {
    const info = originOf(this.session)?.caller.link.agentInfo;
    if (!info) return null;
    const { name, version, title } = info;
    return { name, version, ...(typeof title === 'string' && { title }) };
  }

  #infoFor(id: string, writer: string, safe: Conversation): RecordInfo {
    this.#changedAt ??= timeOf(safe) ?? new Date().toISOString();
    const { creation } = sessionRecords(this.session);
    return {
      id,
      writer,
      version: formatVersion,
      sessionId: this.session.sessionId,
      ...(creation !== undefined && { creation }),
      agent: this.#agent(),
      cwd: this.session.cwd,
      title: safe.info.title || firstLineOf(safe, maxTitleLength),
      updatedAt: this.#changedAt,
    };
  }

  /** Makes the record equal to a conversation. */
  async #bring(id: string, conversation: Conversation, life: Life): Promise<void> {
    if (conversation.plans.length > 0) life.hadPlans = true;
    const record = this.#record;
    if (record?.conversation === conversation) return;
    if (record) return this.#continue(id, record, conversation);
    // A session that was opened and not used is no transcript.
    if (conversation.entries.length === 0) return;
    const found = await this.#absorb(id, this.#redaction.conversation(conversation), life);
    const { includes, broken, isMore, savedAt, counts, createdAt, firstAt } = found;
    this.#createdAt = createdAt;
    this.#changedAt ??= savedAt;
    // Records with more than the session shows stay until the recording ends: a reader joins them.
    const included = isMore ? broken : [...includes, ...broken];
    life.seen ??= new Map([...counts].filter(([writer]) => !included.includes(writer)));
    if (!isMore && firstAt !== undefined) life.firstAt = firstAt;
    await this.#replace(id, newWriter(), included, conversation, life);
  }

  async #continue(id: string, record: OwnRecord, conversation: Conversation): Promise<void> {
    const { writer, includes, life, ...before } = record;
    const { hasFound } = this.#redaction;
    const safe = hasFound ? this.#redaction.conversation(conversation) : conversation;
    const patch = diffConversation(before.safe, safe);
    // The record can have the beginning of the first secret.
    if (!hasFound && this.#redaction.brings(before.safe, patch))
      return this.#replace(id, writer, includes, conversation, life);
    if (patch.length === 0) {
      this.#record = { ...record, conversation, safe };
      return;
    }
    const info = this.#infoFor(id, writer, safe);
    const lines = patchLine(info, patch);
    const length = before.length + lines.length;
    if (length > maxRatio * before.snapshotLength)
      return this.#replace(id, writer, includes, conversation, life);
    const next = { ...record, conversation, safe, length, hasPatches: true };
    try {
      await this.#storage.append({ info, mode: 'append', lines });
    } catch {
      // The record may have been removed, and how much of the batch was written is not known.
      this.#record = next;
      this.#leaveRecord(this.#broken);
      return this.#bring(id, conversation, life);
    }
    this.#record = next;
  }

  /** The last batch. A transcript that is complete is one record with a conversation. */
  async #finish(id: string): Promise<void> {
    await this.#bring(id, this.#latest, this.#life);
    const record = this.#record;
    if (!record) return;
    markOrigins(record);
    const { whole, includes, broken, firstAt } = await this.#absorb(id, record.safe, record.life);
    const { conversation, sources } = whole;
    const info = this.#infoFor(id, record.writer, record.safe);
    const added = [...includes, ...broken];
    if (record.hasPatches || conversation !== record.safe || added.length > 0) {
      // The keys of the whole transcript are not those of the session.
      const origins = new Map(Array.from(sources, ([key, source]) => [key, source.origins]));
      const all = [...record.includes, ...added];
      const life = { ...record.life, origins, firstAt: earliest([record.life.firstAt, firstAt]) };
      await this.#replace(id, record.writer, all, conversation, life, endLine(info));
    } else await this.#storage.append({ info, mode: 'append', lines: endLine(info) });
  }

  async #absorb(id: string, conversation: Conversation, life: Life) {
    const { creation } = sessionRecords(this.session);
    const { origins, given, firstAt, seen = new Map(), hadPlans = false } = life;
    const createdAt = this.#createdAt ?? '';
    const { writer = '', includes = [] } = this.#record ?? {};
    const record = {
      header: { id, writer, creation, agent: this.#agent(), createdAt, firstAt, includes },
      updatedAt: this.#changedAt ?? createdAt,
      conversation,
      origins,
      seen,
      hadPlans,
    };
    const own = { record, given, earlier: this.#earlier, broken: this.#broken };
    const found = await absorb(this.#storage, own);
    for (const [key, all] of found.origins) life.origins.set(key, all);
    return found;
  }

  async #replace(
    id: string,
    writer: string,
    includes: readonly string[],
    conversation: Conversation,
    life: Life,
    end = '',
  ): Promise<void> {
    this.#redaction.renew();
    const safe = this.#redaction.conversation(conversation);
    const json = await jsonText(safe);
    const info = this.#infoFor(id, writer, safe);
    const [createdAt, firstAt] = [this.#createdAt ?? '', earliest([this.#createdAt, life.firstAt])];
    const { origins, seen = new Map(), hadPlans = false } = life;
    const isFirst = firstAt === createdAt;
    const header = { ...info, createdAt, ...(!isFirst && { firstAt }), process: thisProcess, includes };
    const relations = relationsText(writer, safe, { origins, seen, hadPlans });
    const lines = headerLine(header) + snapshotLine(info, json, relations) + end;
    this.#record = {
      life,
      writer,
      includes,
      conversation,
      safe,
      length: lines.length,
      snapshotLength: json.length,
      hasPatches: false,
    };
    await this.#storage.append({ info, mode: 'replace', lines });
    // A reader ignores them already. What cannot be removed now is removed with the next recording.
    if (includes.length > 0) await this.#storage.remove(id, includes).catch(() => {});
  }
}

/** Keeps where the entries of a record were first written. */
function markOrigins({ writer, safe, life: { origins } }: OwnRecord): void {
  for (const { key } of safe.entries) if (!origins.has(key)) origins.set(key, [entryOriginOf(writer, key)]);
}

/** When the agent says that the session changed last. */
function timeOf({ info }: Conversation): string | undefined {
  return info.updatedAt === null ? undefined : instantOf(info.updatedAt)?.toISOString();
}
