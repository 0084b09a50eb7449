import type { PanelState } from '../../panel/state.ts';

/** The title of the session that is shown. */
export function shownTitle({ sessions, sessionId, conversation }: PanelState): string {
  if (sessionId === null) return 'Sessions';
  const listed = sessions.find((session) => session.sessionId === sessionId);
  return listed?.title ?? conversation?.info.title ?? 'New session';
}
