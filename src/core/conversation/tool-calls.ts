import type { PermissionUpdate, ToolProgressUpdate, UnfinishedCancelled } from '../model/client-update.ts';
import type { ToolCallEntry } from '../model/conversation.ts';
import { isInBackground } from '../model/session.ts';
import { endedStatuses, isToolCallFinished } from '../model/tool-call.ts';
import type {
  ToolCallAnnounced,
  ToolCallContentChunk,
  ToolCallFields,
  ToolCallUpdate,
} from '../model/update.ts';
import type { Draft } from './draft.ts';
import { defaults } from './entry-defaults.ts';
import { keyOf } from './entry-index.ts';
import { equal } from './equal.ts';
import { keepOutput } from './terminals.ts';

/**
 * Changes or adds a tool call. Some agents announce a tool call after its first update, or twice: the announcement of a
 * known one adds its fields, and does not set the status back to `pending`.
 */
export function toolCallUpdate(draft: Draft, update: ToolCallUpdate | ToolCallAnnounced): void {
  const { toolCallId } = update;
  const way = update.sessionUpdate === 'tool_call' ? 'announced' : update.asks ? 'asked' : 'reported';
  const { index: known } = draft.entries;
  const index = way === 'reported' ? findCall(draft, toolCallId) : known.findId('tool', toolCallId);
  if (index === undefined || beginsAnother(draft, index, way, update)) {
    if (index !== undefined) keepOutput(draft, toolCallId);
    appendCall(draft, update);
    return;
  }
  const entry = toolCallAt(draft, index);
  const next = patched(draft, entry, update);
  const calls = known.repeatedCalls(toolCallId);
  const before = calls?.[calls.lastIndexOf(index) - 1];
  if (before !== undefined && isRepeated(toolCallAt(draft, before), entry, next))
    draft.removeKeys(new Set([entry.key]));
  else if (way === 'announced' && next.status === 'pending')
    draft.replace(index, { ...next, status: entry.status });
  else if (next.status === entry.status) draft.replace(index, next);
  // Most updates change the status, so that the rest need not be compared.
  else draft.put(index, next);
}

/** Appends an item to the content of a tool call. */
export function toolCallContentChunk(draft: Draft, { toolCallId, content }: ToolCallContentChunk): void {
  draft.appendBlock(findCall(draft, toolCallId) ?? appendCall(draft, { toolCallId }), content);
}

/** Sets the permission request of a tool call, or removes one that has ended. A call that waits already is another one. */
export function permissionUpdate(draft: Draft, { toolCallId, permission, ended }: PermissionUpdate): void {
  const open = openCalls(draft, toolCallId);
  const waiting = open.filter((each) => callAt(draft, each).permission);
  const newest = open.at(-1) === waiting.at(-1) ? undefined : open.at(-1);
  // The tool call may be gone since the request, for example after a reload. Do not add it again.
  const index = permission
    ? (newest ?? appendCall(draft, { toolCallId }))
    : waiting.find((each) => !ended || callAt(draft, each).permission === ended);
  if (index !== undefined) draft.replace(index, { ...toolCallAt(draft, index), permission });
}

/** Sets how far the editor's tool is, unless the call has ended, or removes it. */
export function toolProgress(draft: Draft, { toolCallId, progress }: ToolProgressUpdate): void {
  const current = findCall(draft, toolCallId);
  for (const index of openCalls(draft, toolCallId)) {
    const entry = toolCallAt(draft, index);
    if (!progress) draft.replace(index, withoutProgress(entry));
    else if (index === current) draft.replace(index, { ...entry, progress });
  }
}

/**
 * Cancels all unfinished tool calls, except those that the agent reported as background work. A late update still
 * sets the real status.
 */
export function unfinishedCancelled(draft: Draft, { except }: UnfinishedCancelled): void {
  const { background } = draft.fields.activity;
  for (const index of draft.entries.unfinishedToolCalls()) {
    const entry = toolCallAt(draft, index);
    if (isInBackground(background, entry) || (entry.status === except && entry.origin !== 'replay')) continue;
    draft.replace(index, { ...withoutProgress(entry), status: 'cancelled', permission: null });
  }
}

function withoutProgress(entry: ToolCallEntry): ToolCallEntry {
  const { progress: _, ...rest } = entry;
  return rest;
}

/**
 * The call that a report under this id is about: the newest one. Several calls with one id are open only while the agent
 * asks for some of them. Then it is the first one of this turn that waits for no answer, or else the first one that waits.
 */
function findCall(draft: Draft, toolCallId: string): number | undefined {
  const { index } = draft.entries;
  const newest = index.findId('tool', toolCallId);
  if (!index.repeatedCalls(toolCallId)) return newest;
  const open = openCalls(draft, toolCallId);
  const waits = (each: number) => callAt(draft, each).permission !== null;
  return open.find((each) => each > index.lastQuestion && !waits(each)) ?? open.find(waits) ?? newest;
}

/** The unfinished calls with this id, oldest first. */
function openCalls(draft: Draft, toolCallId: string): readonly number[] {
  const unfinished = draft.entries.unfinishedToolCalls();
  return unfinished.filter((index) => callAt(draft, index).toolCallId === toolCallId);
}

/** How an agent comes to speak of a tool call. */
type Way = 'announced' | 'asked' | 'reported';

/**
 * Whether an update begins another call under the id of a known one: many models give an id again. Such an update names
 * what is called: it announces it, asks for it, or has a status with a title or an input.
 *
 * @see docs/decisions/0004-second-tool-call.md
 */
function beginsAnother(draft: Draft, index: number, way: Way, update: ToolCallFields): boolean {
  const { title, rawInput, status } = update;
  if (way === 'reported' && (status == null || (title == null && rawInput == null))) return false;
  const entry = toolCallAt(draft, index);
  const isSame = isAlike(title, entry.title) && isAlike(rawInput, entry.rawInput);
  if (entry.permission) return way === 'asked' || (way === 'announced' && !isSame);
  const ends = isToolCallFinished(status ?? 'pending');
  const { background } = draft.fields.activity;
  const isEarlier = draft.entries.index.lastQuestion > index && !isInBackground(background, entry);
  if (!endedStatuses.has(entry.status)) {
    // The client shows a call as cancelled before the agent knows it, and a prompt before the turn has ended.
    const isOver = entry.status === 'cancelled' || entry.origin === 'replay' || way !== 'reported';
    return isEarlier && isOver && !(isSame && ends);
  }
  if (way === 'asked' || !isSame) return true;
  // The end of a call can be reported again, with more of its output.
  if (way === 'reported' && ends && draft.origin === 'live') return false;
  // Some agents announce a call at its end.
  const isSilent = entry.content.length === 0 && entry.rawOutput === undefined;
  const isSaid = isAlike(update.content, entry.content) && isAlike(update.rawOutput, entry.rawOutput);
  return isEarlier || !isSaid || !(ends || (way === 'announced' && isSilent));
}

/**
 * Whether the first report of a new call says word for word how the call before it with its id ended. Then it is that
 * call: some agents announce calls of earlier turns again, under the name of the tool, and reports their end again.
 */
function isRepeated(before: ToolCallEntry, announced: ToolCallEntry, ended: ToolCallEntry): boolean {
  const isFirst = announced.status === 'pending' && announced.title !== ended.title;
  return isFirst && isToolCallFinished(ended.status) && equal(endOf(before), endOf(ended));
}

function endOf({ status, title, rawInput, rawOutput, content }: ToolCallEntry): unknown {
  return [status, title, rawInput, rawOutput, content];
}

/** Whether two values are equal, as far as both are there. */
function isAlike(value: unknown, known: unknown): boolean {
  return value == null || known == null || equal(value, known);
}

/** @param index - From the namespace of tool calls. */
function toolCallAt(draft: Draft, index: number): ToolCallEntry {
  return draft.entry(index) as ToolCallEntry;
}

/**
 * A tool call of which only fields are read that are not collected.
 *
 * @param index - From the namespace of tool calls.
 */
function callAt(draft: Draft, index: number): ToolCallEntry {
  return draft.entries.at(index) as ToolCallEntry;
}

/** The key of the next call with an id. It counts them, so that it is the same in each replay. */
function keyOfCall({ entries: { index } }: Draft, toolCallId: string): string {
  if (index.findId('tool', toolCallId) === undefined) return keyOf('tool', toolCallId);
  let count = (index.repeatedCalls(toolCallId)?.length ?? 1) + 1;
  while (index.findKey(`tool#${count}:${toolCallId}`) !== undefined) count++;
  return `tool#${count}:${toolCallId}`;
}

function appendCall(draft: Draft, update: ToolCallFields): number {
  const { toolCallId } = update;
  const own = { key: keyOfCall(draft, toolCallId), toolCallId, origin: draft.origin };
  return draft.append(patched(draft, blank, update, own));
}

/** What a call has by itself, and no update changes. */
type Own = Pick<ToolCallEntry, 'key' | 'toolCallId' | 'origin'>;

// The key and the id are those of the call that is made of it.
const blank = { kind: 'toolCall', ...defaults.toolCall } as Partial<ToolCallEntry> as ToolCallEntry;

/** Written key by key, which is several times faster than spread and rest. Tool calls change often. */
function patched(draft: Draft, entry: ToolCallEntry, update: ToolCallFields, own: Own = entry) {
  const status = update.status === undefined ? entry.status : (update.status ?? 'pending');
  // `null` removes a raw value.
  const rawInput = update.rawInput === undefined ? entry.rawInput : update.rawInput;
  const rawOutput = update.rawOutput === undefined ? entry.rawOutput : update.rawOutput;
  const next: { -readonly [K in keyof ToolCallEntry]: ToolCallEntry[K] } = {
    kind: 'toolCall',
    key: own.key,
    toolCallId: own.toolCallId,
    title: update.title === undefined ? entry.title : update.title,
    toolKind: update.kind === undefined ? entry.toolKind : (update.kind ?? 'other'),
    name: update.name === undefined ? entry.name : update.name,
    status,
    content: update.content === undefined ? entry.content : (update.content ?? []),
    locations: update.locations === undefined ? entry.locations : (update.locations ?? []),
    capabilities: update.capabilities === undefined ? entry.capabilities : update.capabilities,
    permission: isToolCallFinished(status) ? null : entry.permission,
    origin: own.origin,
    meta: draft.patchMeta(entry.meta, update._meta),
  };
  if (rawInput != null) next.rawInput = rawInput;
  if (rawOutput != null) next.rawOutput = rawOutput;
  if (entry.progress && !isToolCallFinished(status)) next.progress = entry.progress;
  return next;
}
