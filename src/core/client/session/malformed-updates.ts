import { type DiagnosticListener, preview } from '../../base/diagnostic.ts';
import { listed } from '../../base/issue.ts';
import { findCursor } from '../../conversation/cursors.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import type { CursorUpdate } from '../../model/update.ts';
import type { NormalizedUpdate } from '../../protocol/normalize.ts';

/** Reports what does not match the protocol in an update from the agent: the update as a whole, or parts of it. */
export function reportMalformed(
  normalized: NormalizedUpdate,
  raw: unknown,
  report: DiagnosticListener,
): void {
  const messages = normalized.update
    ? (normalized.dropped ?? []).map(
        ({ path, message }) =>
          `A part of an update of the agent does not match the protocol: ${path} ${message}. The rest of the update was taken.`,
      )
    : [
        `The agent sent an update that does not match the protocol, and it was dropped: ${listed(normalized.issues)}.`,
      ];
  for (const message of messages) {
    report({ rule: 'protocol.malformed_update', severity: 'warning', message, received: preview(raw) });
  }
}

/** Whether it is known where a cursor is: its first update says it. One that does not is reported. */
export function isPlaced(
  update: CursorUpdate,
  { getSnapshot }: ConversationStore,
  report: DiagnosticListener,
): boolean {
  if (update.anchor || findCursor(getSnapshot(), update.cursorId)) return true;
  const message = `is missing in the first update of the cursor ${JSON.stringify(update.cursorId)}`;
  reportMalformed({ update: undefined, issues: [{ path: 'update.anchor', message }] }, update, report);
  return false;
}
