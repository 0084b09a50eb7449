import type { Conversation, SessionCursor } from '../model/conversation.ts';
import type { CursorUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { patchMeta } from './meta.ts';

/** How many cursors a conversation has. Each update copies the list of the cursors. */
const maxCursors = 10_000;

/** The cursor of this id. */
export function findCursor(
  { cursors }: Pick<Conversation, 'cursors'>,
  id: string,
): SessionCursor | undefined {
  return cursors?.findLast(({ cursorId }) => cursorId === id);
}

/** Changes or adds a cursor. The oldest one makes room for one that is too many. */
export function cursorUpdate(draft: Draft, update: CursorUpdate): void {
  const { cursorId, replacesMeta, _meta } = update;
  const { cursors = [] } = draft.fields;
  const known = findCursor(draft.fields, cursorId);
  const anchor = known?.anchor ?? update.anchor;
  // The session reports an update without a place.
  if (!anchor) return;
  const capabilities =
    update.capabilities === undefined ? (known?.capabilities ?? null) : update.capabilities;
  const before = known?.meta ?? null;
  const meta = replacesMeta && _meta !== undefined ? _meta : patchMeta(before, _meta);
  const cursor = { cursorId, anchor, capabilities, meta };
  const next = known
    ? cursors.with(cursors.lastIndexOf(known), cursor)
    : [...cursors, cursor].slice(-maxCursors);
  draft.set('cursors', next);
}
