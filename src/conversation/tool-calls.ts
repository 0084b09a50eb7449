import type { PermissionUpdate, ToolProgressUpdate, UnfinishedCancelled } from '../model/client-update.ts';
import type { ToolCallEntry } from '../model/conversation.ts';
import { isInBackground } from '../model/session.ts';
import type {
  ToolCallAnnounced,
  ToolCallContentChunk,
  ToolCallFields,
  ToolCallUpdate,
} from '../model/update.ts';
import type { Draft } from './draft.ts';
import { keyOf } from './entry-index.ts';
import { isToolCallFinished } from './tool-call-status.ts';

/**
 * Changes or adds a tool call. Some agents announce a tool call after its first update, or twice: the announcement of a
 * known one adds its fields, and does not set the status back to `pending`.
 */
export function toolCallUpdate(draft: Draft, update: ToolCallUpdate | ToolCallAnnounced): void {
  const index = draft.entries.index.findId('tool', update.toolCallId);
  if (index === undefined) {
    draft.append(patched(draft, newToolCall(draft, update.toolCallId), update));
    return;
  }
  const entry = toolCallAt(draft, index);
  const next = patched(draft, entry, update);
  const keepsStatus = update.sessionUpdate === 'tool_call' && next.status === 'pending';
  if (keepsStatus) draft.replace(index, { ...next, status: entry.status });
  else if (next.status === entry.status) draft.replace(index, next);
  // Most updates change the status, so that the rest need not be compared.
  else draft.put(index, next);
}

/** Appends an item to the content of a tool call. */
export function toolCallContentChunk(draft: Draft, update: ToolCallContentChunk): void {
  draft.appendBlock(findOrAppend(draft, update.toolCallId), update.content);
}

/** Sets or removes the permission request of a tool call. */
export function permissionUpdate(draft: Draft, { toolCallId, permission }: PermissionUpdate): void {
  // The tool call may be gone since the request, for example after a reload. Do not add it again.
  if (permission === null && draft.entries.index.findId('tool', toolCallId) === undefined) return;
  const index = findOrAppend(draft, toolCallId);
  draft.replace(index, { ...toolCallAt(draft, index), permission });
}

/** Sets or removes how far the editor's tool is. */
export function toolProgress(draft: Draft, { toolCallId, progress }: ToolProgressUpdate): void {
  const index = draft.entries.index.findId('tool', toolCallId);
  if (index === undefined) return;
  const entry = toolCallAt(draft, index);
  // What the agent reports of the end can come before the end of the call.
  if (progress && isToolCallFinished(entry.status)) return;
  draft.replace(index, progress ? { ...entry, progress } : withoutProgress(entry));
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
  if (entry.progress === undefined) return entry;
  const { progress: _, ...rest } = entry;
  return rest;
}

function findOrAppend(draft: Draft, toolCallId: string): number {
  return draft.entries.index.findId('tool', toolCallId) ?? draft.append(newToolCall(draft, toolCallId));
}

/** @param index - From the namespace of tool calls. */
function toolCallAt(draft: Draft, index: number): ToolCallEntry {
  return draft.entry(index) as ToolCallEntry;
}

function newToolCall(draft: Draft, toolCallId: string): ToolCallEntry {
  return {
    kind: 'toolCall',
    key: keyOf('tool', toolCallId),
    toolCallId,
    title: null,
    toolKind: 'other',
    name: null,
    status: 'pending',
    content: [],
    locations: [],
    capabilities: null,
    permission: null,
    origin: draft.origin,
    meta: null,
  };
}

/** Written key by key, which is several times faster than spread and rest. Tool calls change often. */
function patched(draft: Draft, entry: ToolCallEntry, update: ToolCallFields): ToolCallEntry {
  const status = update.status === undefined ? entry.status : (update.status ?? 'pending');
  // `null` removes a raw value.
  const rawInput = update.rawInput === undefined ? entry.rawInput : update.rawInput;
  const rawOutput = update.rawOutput === undefined ? entry.rawOutput : update.rawOutput;
  const next: { -readonly [K in keyof ToolCallEntry]: ToolCallEntry[K] } = {
    kind: 'toolCall',
    key: entry.key,
    toolCallId: entry.toolCallId,
    title: update.title === undefined ? entry.title : update.title,
    toolKind: update.kind === undefined ? entry.toolKind : (update.kind ?? 'other'),
    name: update.name === undefined ? entry.name : update.name,
    status,
    content: update.content === undefined ? entry.content : (update.content ?? []),
    locations: update.locations === undefined ? entry.locations : (update.locations ?? []),
    capabilities: update.capabilities === undefined ? entry.capabilities : update.capabilities,
    permission: isToolCallFinished(status) ? null : entry.permission,
    origin: entry.origin,
    meta: draft.patchMeta(entry.meta, update._meta),
  };
  if (rawInput != null) next.rawInput = rawInput;
  if (rawOutput != null) next.rawOutput = rawOutput;
  if (entry.progress && !isToolCallFinished(status)) next.progress = entry.progress;
  return next;
}
