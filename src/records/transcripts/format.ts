import * as v from 'valibot';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/base/json.ts';
import { freeze } from '../../core/conversation/equal.ts';
import { applyPatch, type ConversationPatch, type PatchOperation } from '../../core/conversation/patch.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { count } from '../../core/protocol/vocabulary.ts';
import { conversationFault, fromSaved } from '../saved/import.ts';
import { type Counts, type Origins, originsJson, readCounts, readOrigins } from './origins.ts';
import type { RecordInfo } from './storage.ts';
import { isTime } from './times.ts';

/** The name of the format, by which a file is recognized. */
const formatName = 'acp-client-transcript';

/** The version that this library writes. It reads all versions up to this one. Since version 2, a plan has a type. */
export const formatVersion = 2;

/** The program that writes a record. It tells whether the record can still grow. */
export interface WriterProcess {
  readonly host: string;
  readonly pid: number;
  readonly thread: number;
}

/** The first line of a record. */
export interface RecordHeader extends RecordInfo {
  /** When the recording began, in ISO 8601. The records of a transcript are in this order. */
  readonly createdAt: string;
  /** When the first recording began whose content this record has, if that was earlier. It is the one that counts. */
  readonly firstAt?: string | undefined;
  readonly process: WriterProcess;
  /** The writers of the records whose content this record has. A reader ignores those records. */
  readonly includes: readonly string[];
}

/** A record of a version that this library can read. */
export interface ReadRecord {
  readonly header: RecordHeader;
  readonly title: string | null;
  readonly updatedAt: string;
  readonly conversation: Conversation;
  readonly origins: Origins;
  /** How many entries the other records had when this one began. */
  readonly seen: Counts;
  /** Whether it has had a plan. Then a plan that it lacks was removed, and is not missing. */
  readonly hadPlans: boolean;
  /** Whether its writer has said that it writes no more. */
  readonly isEnded: boolean;
  /** Which whole line cannot be read, and why. The conversation is that of the lines before. */
  readonly damage: string | undefined;
}

/** The line that begins a record. */
export function headerLine(header: RecordHeader): string {
  const { version, ...rest } = header;
  return `${JSON.stringify({ format: formatName, version, ...rest })}\n`;
}

/** What changes of a record's info while it grows. It is at the start of each line, so that a list needs no other line. */
export type LineInfo = Pick<RecordInfo, 'updatedAt' | 'title'>;

/** What a record knows of the other ones. */
export type Relations = Pick<ReadRecord, 'origins' | 'seen' | 'hadPlans'>;

/** The line with a whole conversation. `json` is its JSON text. */
export function snapshotLine(info: LineInfo, json: string, relations = ''): string {
  return `${withInfo(info, `"snapshot":${json}${relations}`)}\n`;
}

/** What a snapshot says of other records, as the JSON of its last members. */
export function relationsText(
  writer: string,
  safe: Conversation,
  { origins, seen, hadPlans }: Relations,
): string {
  const members = Object.entries({
    origins: originsJson(writer, safe, origins),
    seen: Object.fromEntries(seen),
    hadPlans,
  });
  return members
    .filter(([, value]) => value === true || Object.keys(value).length > 0)
    .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
    .join('');
}

/** The line with a change. */
export function patchLine(info: LineInfo, patch: ConversationPatch): string {
  return `${withInfo(info, `"patch":${JSON.stringify(patch)}`)}\n`;
}

/** The line that says that the recording is over. */
export function endLine(info: LineInfo): string {
  return `${withInfo(info, '"ended":true')}\n`;
}

function withInfo({ updatedAt, title }: LineInfo, member: string): string {
  return `${JSON.stringify({ updatedAt, title }).slice(0, -1)},${member}}`;
}

/** Whether a text is a record, of any version, or one that is damaged behind its beginning. */
export function isRecordText(text: string): boolean {
  return text.startsWith(`{"format":"${formatName}"`);
}

/** A line as JSON. `undefined` if it is damaged. */
export function parseLine(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const text = v.fallback(v.string(), '');
const optionalText = v.fallback(v.optional(v.string()), undefined);
const number = v.fallback(v.number(), 0);

/** What is damaged counts as absent. A newer version may have changed all but the first lines. */
const HeaderSchema = v.object({
  format: v.literal(formatName),
  id: v.string(),
  writer: v.string(),
  version: v.number(),
  sessionId: optionalText,
  creation: optionalText,
  cwd: text,
  agent: v.fallback(v.nullable(v.object({ name: v.string(), version: text, title: optionalText })), null),
  createdAt: text,
  firstAt: optionalText,
  process: v.fallback(v.object({ host: text, pid: number, thread: number }), { host: '', pid: 0, thread: 0 }),
  includes: v.fallback(v.array(v.unknown()), []),
});

/** The header in the first line of a record. `undefined` if it is not one. */
export function readHeader(line: string): RecordHeader | undefined {
  const value = parseLine(line);
  const read = v.safeParse(HeaderSchema, value);
  if (!value || !read.success) return undefined;
  const { format: _, sessionId = read.output.id, includes, ...header } = read.output;
  return {
    ...header,
    sessionId,
    includes: includes.filter((one) => typeof one === 'string'),
    ...infoOf(value, { title: null, updatedAt: '' }),
  };
}

/** The info that every line has. What cannot be read of it is that of the lines before. */
export function infoOf({ title, updatedAt }: JsonObject, before: LineInfo): LineInfo {
  return {
    title: typeof title === 'string' || title === null ? title : before.title,
    updatedAt: isTime(updatedAt) ? updatedAt : before.updatedAt,
  };
}

/** What is read of a record: all of it that is not damaged. */
export type RecordReading =
  | ReadRecord
  | { readonly newer: RecordHeader }
  /** It has no conversation before its first damaged line. Why. */
  | { readonly unreadable: string };

/** The patch in a line of a record, as it was read. */
interface PatchInLine {
  readonly line: number;
  readonly patch: readonly unknown[];
}

/** Reads a record up to its first damaged line. */
export function readRecord(text: string): RecordReading {
  const lines = linesOf(text);
  const header = readHeader(lines.next().value ?? '');
  if (!header) return { unreadable: 'line 1 is not the header of a transcript' };
  if (header.version > formatVersion) return { newer: header };
  let info: LineInfo = header;
  let isEnded = false;
  let snapshot: JsonObject | undefined;
  let relations: Relations = { origins: new Map(), seen: new Map(), hadPlans: false };
  const patches: PatchInLine[] = [];
  let damage: string | undefined;
  let line = 1;
  for (const json of lines) {
    line++;
    const value = parseLine(json);
    const { snapshot: whole, patch, ended } = value ?? {};
    if (isJsonObject(whole) && !snapshot) {
      snapshot = whole;
      relations = {
        origins: readOrigins(value?.['origins']),
        seen: readCounts(value?.['seen']),
        hadPlans: value?.['hadPlans'] === true,
      };
    } else if (Array.isArray(patch) && snapshot) {
      patches.push({ line, patch });
      if (patch.some(changesPlans)) relations = { ...relations, hadPlans: true };
    } else if (ended !== true) damage = `line ${line} is not a line of a transcript`;
    if (!value || damage !== undefined) break;
    isEnded = ended === true;
    info = infoOf(value, info);
  }
  if (!snapshot) return { unreadable: damage ?? `line ${line + 1} is missing` };
  const state = stateAfter(snapshot, patches);
  if ('conversation' in state) return { header, ...info, ...relations, ...state, isEnded, damage };
  const first = stateAfter(snapshot, []);
  if ('fault' in first) return { unreadable: `line 2: ${first.fault}` };
  return { header, ...info, ...relations, ...beforeFault(snapshot, patches, first, state), isEnded };
}

function changesPlans(operation: JsonValue): boolean {
  const path = isJsonObject(operation) ? operation['path'] : undefined;
  return Array.isArray(path) && path[0] === 'plans';
}

/** The lines of a text, without the last one if it does not end. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0, end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
  }
  return undefined;
}

const path = v.array(v.union([v.string(), count]));

/** A patch in a line of JSON. What it makes of the conversation is checked there. */
export const PatchSchema = v.array(
  v.variant('op', [
    v.object({ op: v.literal('set'), path, value: v.unknown() }),
    v.object({ op: v.literal('unset'), path }),
    v.object({ op: v.literal('append'), path, text: v.string() }),
    v.object({ op: v.literal('splice'), path, at: count, remove: count, insert: v.array(v.unknown()) }),
    v.object({ op: v.literal('output'), terminalId: v.string(), remove: count, text: v.string() }),
  ]),
);

/** A conversation that was checked completely, or why there is none. */
type State = Pick<ReadRecord, 'conversation'> | { readonly fault: string };

/** The conversation after the patches. They are applied in one go: each by itself copies the list of the entries. */
function stateAfter(snapshot: JsonObject, patches: readonly PatchInLine[]): State {
  const start: PatchOperation = { op: 'set', path: [], value: snapshot };
  let conversation: unknown;
  try {
    const operations = patches.flatMap(({ patch }) => v.parse(PatchSchema, patch));
    // A line of JSON has only values of JSON.
    conversation = fromSaved(applyPatch(undefined, [start, ...operations] as PatchOperation[]));
  } catch {
    return { fault: 'it changes what is not there' };
  }
  const fault = conversationFault(conversation);
  if (fault) return { fault: `${fault.path.join('.')} ${fault.message}` };
  // It was just checked.
  return { conversation: freeze(conversation as Conversation) };
}

/** The conversation before the patch that does not fit. It is looked for in halves: each try reads all before it. */
function beforeFault(
  snapshot: JsonObject,
  patches: readonly PatchInLine[],
  first: Pick<ReadRecord, 'conversation'>,
  last: { readonly fault: string },
): Pick<ReadRecord, 'conversation' | 'damage'> {
  let [good, conversation] = [0, first.conversation];
  let [bad, why] = [patches.length, last.fault];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    const state = stateAfter(snapshot, patches.slice(0, middle));
    if ('conversation' in state) [good, conversation] = [middle, state.conversation];
    else [bad, why] = [middle, state.fault];
  }
  return { conversation, damage: `line ${patches[good]?.line}: ${why}` };
}
