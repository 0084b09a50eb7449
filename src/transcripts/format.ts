import { isJsonObject, type JsonObject } from '../base/json.ts';
import { applyPatch, type ConversationPatch, type PatchOperation } from '../conversation/patch.ts';
import type { Conversation } from '../model/conversation.ts';
import type { RecordInfo } from './storage.ts';
import type { AgentIdentity } from './transcript.ts';

/** The name of the format, by which a file is recognized. */
const formatName = 'acp-client-transcript';

/** The version that this library writes. It reads all versions up to this one. */
export const formatVersion = 1;

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
  /** Whether its writer has said that it writes no more. */
  readonly isEnded: boolean;
  /** Whether a whole line cannot be read. The conversation is that of the lines before. */
  readonly isDamaged: boolean;
}

/** The line that begins a record. */
export function headerLine(header: RecordHeader): string {
  const { version, ...rest } = header;
  return `${JSON.stringify({ format: formatName, version, ...rest })}\n`;
}

/** What changes of a record's info while it grows. It is at the begin of each line, so that a list needs no other line. */
export type LineInfo = Pick<RecordInfo, 'updatedAt' | 'title'>;

/** The line with a whole conversation. `json` is its JSON text. */
export function snapshotLine(info: LineInfo, json: string): string {
  return `${withInfo(info, `"snapshot":${json}`)}\n`;
}

/** The line with a change. `operations` are the JSON texts of the operations of its patch. */
export function patchLine(info: LineInfo, operations: readonly string[]): string {
  return `${withInfo(info, `"patch":[${operations.join(',')}]`)}\n`;
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

/** The header in the first line of a record. `undefined` if it is not one. */
export function readHeader(line: string): RecordHeader | undefined {
  const value = parseLine(line);
  if (value?.['format'] !== formatName) return undefined;
  const { id, writer, version, sessionId, cwd, createdAt } = value;
  const { process: program, includes, agent } = value;
  if (typeof id !== 'string' || typeof writer !== 'string' || typeof version !== 'number') return undefined;
  // A newer version may have changed the rest.
  return {
    id,
    writer,
    version,
    sessionId: typeof sessionId === 'string' ? sessionId : id,
    cwd: typeof cwd === 'string' ? cwd : '',
    agent: agentOf(agent),
    createdAt: typeof createdAt === 'string' ? createdAt : '',
    process: processOf(program),
    includes: Array.isArray(includes) ? includes.filter((one): one is string => typeof one === 'string') : [],
    ...infoOf(value),
  };
}

/** The info that every line has. */
export function infoOf({ title, updatedAt }: JsonObject): LineInfo {
  return {
    title: typeof title === 'string' ? title : null,
    updatedAt: typeof updatedAt === 'string' ? updatedAt : '',
  };
}

function agentOf(value: unknown): AgentIdentity | null {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return null;
  const { name, version, title } = value;
  return {
    name,
    version: typeof version === 'string' ? version : '',
    ...(typeof title === 'string' && { title }),
  };
}

function processOf(value: unknown): WriterProcess {
  const { host, pid, thread } = isJsonObject(value) ? value : ({} as JsonObject);
  return {
    host: typeof host === 'string' ? host : '',
    pid: typeof pid === 'number' ? pid : 0,
    thread: typeof thread === 'number' ? thread : 0,
  };
}

/** What is read of a record: all of it that is not damaged. */
export type RecordReading = ReadRecord | { readonly newer: RecordHeader } | undefined;

/**
 * Reads a record up to its first damaged line. `undefined` if it has no conversation before that: such a record was cut
 * off by the file system, since its first two lines are written in one step.
 */
export function readRecord(text: string): RecordReading {
  const lines = linesOf(text);
  const header = readHeader(lines.next().value ?? '');
  if (!header) return undefined;
  if (header.version > formatVersion) return { newer: header };
  let info: LineInfo = header;
  let isEnded = false;
  let snapshot: JsonObject | undefined;
  const patches: ConversationPatch[] = [];
  let isDamaged = false;
  for (const line of lines) {
    const value = parseLine(line);
    const { snapshot: whole, patch, ended } = value ?? {};
    if (isJsonObject(whole) && isConversation(whole)) snapshot = whole;
    // The operations are checked when they are applied.
    else if (Array.isArray(patch) && snapshot) patches.push(patch as unknown as ConversationPatch);
    else isDamaged = ended !== true;
    if (!value || isDamaged) break;
    isEnded = ended === true;
    info = infoOf(value);
  }
  if (!snapshot) return undefined;
  const { conversation, fits } = patched(snapshot, patches);
  return { header, ...info, conversation, isEnded, isDamaged: isDamaged || !fits };
}

/** The lines of a text, without the last one if it does not end. */
function* linesOf(text: string): Generator<string, undefined> {
  for (let start = 0, end = text.indexOf('\n'); end >= 0; start = end + 1, end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
  }
  return undefined;
}

/** The lists and objects that every conversation has. The rest is what a record of this version has. */
function isConversation({ sessionId, entries, terminals, plans, info, activity }: JsonObject): boolean {
  return (
    typeof sessionId === 'string' &&
    Array.isArray(entries) &&
    Array.isArray(plans) &&
    isJsonObject(terminals) &&
    isJsonObject(info) &&
    isJsonObject(activity)
  );
}

/** The conversation after the patches, or after those before the first one that does not fit. */
function patched(
  snapshot: JsonObject,
  patches: readonly ConversationPatch[],
): { readonly conversation: Conversation; readonly fits: boolean } {
  const start: PatchOperation = { op: 'set', path: [], value: snapshot };
  try {
    // In one go: each patch by itself copies the list of the entries.
    return { conversation: applyPatch(undefined, [start, ...patches.flat()]), fits: true };
  } catch {
    let conversation = applyPatch(undefined, [start]);
    for (const patch of patches) {
      try {
        conversation = applyPatch(conversation, patch);
      } catch {
        // A damaged line that is JSON. What follows does not fit.
        break;
      }
    }
    return { conversation, fits: false };
  }
}
