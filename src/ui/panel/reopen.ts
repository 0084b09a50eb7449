import type { ClientConnection } from '../../core/client/connection.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { PanelOptions, RememberedSession } from './options.ts';
import type { SavedSessions } from './saved-sessions.ts';
import { isGone, type ReopenOptions, sessionParameters } from './sessions.ts';

/** What this file needs of a host. */
interface Host {
  readonly options: PanelOptions;
  readonly saved: SavedSessions;
  /** The session that is shown. */
  readonly session: Session | undefined;
}

/** Opens a session that the agent has. */
export function reopenSession(
  { options }: Host,
  connection: ClientConnection,
  { sessionId, cwd }: RememberedSession,
  { signal, onProgress }: ReopenOptions,
): Promise<Session> {
  const parameters = { ...sessionParameters(connection, options), sessionId, cwd };
  return connection.openSession(parameters, { signal, onProgress });
}

/**
 * Opens the session that was shown before the agent was started. If the agent does not have it, the transcript can be
 * read.
 */
export async function restoreSession(
  host: Host,
  connection: ClientConnection,
  remembered: RememberedSession,
  options: ReopenOptions,
): Promise<Session> {
  const { saved } = host;
  // At the start the transcripts are still being listed.
  await saved.listed();
  const own = saved.find(remembered);
  if (own !== undefined) {
    if (!host.session) options.onProgress({ session: await saved.read(own), updates: 0 });
    return saved.continue(own, connection, options);
  }
  try {
    return await reopenSession(host, connection, remembered, options);
  } catch (error) {
    // The agent was changed: what the one before said can be read.
    const other = isGone(error) ? saved.findOfAnother(remembered) : undefined;
    if (other === undefined || options.signal.aborted) throw error;
    return saved.continue(other, connection, options);
  }
}
