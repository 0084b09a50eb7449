import type { Activity, ToolCallEntry } from '../model/conversation.ts';
import type {
  PermissionUpdate,
  ToolCallAnnounced,
  ToolCallContentChunk,
  ToolCallFields,
  ToolCallUpdate,
} from '../model/update.ts';
import type { Draft } from './draft.ts';
import { keyOf } from './entry-index.ts';
import { patchMeta } from './meta.ts';

/** A tool call changed; an unknown one begins. */
export function toolCallUpdate(draft: Draft, update: ToolCallUpdate): void {
  const place = draft.entries.index.findId('tool', update.toolCallId);
  if (place === undefined) draft.append(patched(blank(draft, update.toolCallId), update));
  else draft.replace(place, patched(draft.entry(place) as ToolCallEntry, update));
}

/** A tool call announced. Agents in the field announce after the first update, or twice: what is known is filled in. */
export function toolCallAnnounced(draft: Draft, update: ToolCallAnnounced): void {
  const place = draft.entries.index.findId('tool', update.toolCallId);
  if (place === undefined) {
    draft.append(patched(blank(draft, update.toolCallId), update));
    return;
  }
  const entry = draft.entry(place) as ToolCallEntry;
  const next = patched(entry, update);
  draft.replace(place, next.status === 'pending' ? { ...next, status: entry.status } : next);
}

/** One more item of what a tool call produced. */
export function toolCallContentChunk(draft: Draft, update: ToolCallContentChunk): void {
  draft.appendBlock(placeOf(draft, update.toolCallId), update.content);
}

/** A permission request was put to the user, or settled. */
export function permissionUpdate(draft: Draft, { toolCallId, permission }: PermissionUpdate): void {
  // What was asked may be about a tool call that is not here any more, and an end begins nothing.
  if (permission === null && draft.entries.index.findId('tool', toolCallId) === undefined) return;
  const place = placeOf(draft, toolCallId);
  const entry = draft.entry(place) as ToolCallEntry;
  draft.replace(place, { ...entry, permission });
}

/**
 * Whatever had not ended will not, but for work that the agent reported as going on in the background. An update
 * that comes late still says how it did end.
 */
export function unfinishedCancelled(draft: Draft): void {
  const background = backgroundToolCalls(draft.fields.activity);
  for (let place = 0; place < draft.entries.length; place++) {
    const entry = draft.entries.at(place);
    if (entry?.kind !== 'toolCall' || isFinished(entry.status) || background.has(entry.toolCallId)) continue;
    const current = draft.entry(place) as ToolCallEntry;
    draft.replace(place, { ...current, status: 'cancelled', permission: null });
  }
}

/** The tool calls that go on while the session rests, as the agent said last. */
export function backgroundToolCalls({ background = [] }: Activity): ReadonlySet<unknown> {
  return new Set(background.filter(({ type }) => type === 'tool_call').map((work) => work['toolCallId']));
}

const finished: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Whether a status is one that a tool call ends with. An unknown status is not. */
export function isFinished(status: string): boolean {
  return finished.has(status);
}

function placeOf(draft: Draft, toolCallId: string): number {
  return draft.entries.index.findId('tool', toolCallId) ?? draft.append(blank(draft, toolCallId));
}

/** A tool call of which nothing is known. */
function blank(draft: Draft, toolCallId: string): ToolCallEntry {
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

/** Written out key by key: with spreads and rests this is several times slower, and tool calls are many. */
function patched(entry: ToolCallEntry, update: ToolCallFields): ToolCallEntry {
  const status = update.status === undefined ? entry.status : (update.status ?? 'pending');
  // `null` clears a raw value, and a cleared one is absent.
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
    permission: isFinished(status) ? null : entry.permission,
    origin: entry.origin,
    meta: patchMeta(entry.meta, update._meta),
  };
  if (rawInput != null) next.rawInput = rawInput;
  if (rawOutput != null) next.rawOutput = rawOutput;
  return next;
}
