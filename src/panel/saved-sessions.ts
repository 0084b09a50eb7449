import type { ClientConnection } from '../client/connection.ts';
import type { Session } from '../client/session/session.ts';
import type { SessionInfo } from '../model/session.ts';
import type { ExportFormat } from '../transcripts/export.ts';
import type { PanelOptions } from './options.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import { type ReadOnlySession, readOnlySession } from './read-only-session.ts';
import { isAllowed, sessionParameters } from './sessions.ts';
import type { PanelHit } from './state.ts';

/** How many hits of a search a page gets. */
const maxHits = 200;

/** The transcripts of a panel: those that a page may see, and what it may do with them. */
export class SavedSessions {
  readonly #options: PanelOptions;
  /** The transcripts that were listed last, by their ids, which are the ids of the sessions in the list. */
  #known = new Map<string, SessionInfo>();
  /** What ends the recording of a session, and resolves when it is written. */
  readonly #recordings = new Map<Session, () => Promise<void>>();

  constructor(options: PanelOptions) {
    this.#options = options;
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  /** Lists the transcripts of the workspace, the newest first. Without transcripts nothing is listed. */
  async list(limit: number, take: (found: readonly SessionInfo[]) => void): Promise<void> {
    const { transcripts } = this.#options;
    if (!transcripts) return;
    const found = new Map<string, SessionInfo>();
    for await (const { id, cwd, title, updatedAt } of transcripts.list()) {
      if (!isAllowed(cwd, this.#options)) continue;
      found.set(id, { sessionId: id, cwd, title, updatedAt });
      if (found.size === limit) break;
    }
    this.#known = found;
    take([...found.values()]);
  }

  /** Records a session from now on, until it is closed. */
  record(session: Session): void {
    const stop = this.#options.transcripts?.record(session);
    if (!stop) return;
    // A session is shown many times.
    if (!this.#recordings.has(session)) void session.closed.then(() => this.#end(session));
    this.#recordings.set(session, stop);
  }

  /** Ends the recordings. Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    await Promise.all([...this.#recordings.keys()].map((session) => this.#end(session)));
  }

  async #end(session: Session): Promise<void> {
    await this.#recordings.get(session)?.();
    this.#recordings.delete(session);
  }

  /** The saved conversation, to be shown while the agent opens the session. */
  async read(id: string, reason: string): Promise<ReadOnlySession> {
    const { transcripts } = this.#options;
    const info = this.#known.get(id);
    if (!transcripts || !info) throw refused('The panel does not list this session.');
    return readOnlySession({ sessionId: id, cwd: info.cwd }, await transcripts.read(id), reason);
  }

  /** Continues a saved session. If that is not possible, it can be read. */
  async continue(
    id: string,
    connection: ClientConnection,
    options: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: { readonly session: Session; readonly updates: number }) => void;
    },
  ): Promise<Session> {
    const { transcripts } = this.#options;
    if (!transcripts) throw refused('The panel has no transcripts.');
    // The directory is the one of the session.
    const { cwd: _, ...parameters } = sessionParameters(connection, this.#options);
    const { session, conversation, reason } = await transcripts.reopen(id, connection, {
      ...parameters,
      ...options,
    });
    if (session) return session;
    const cwd = this.#known.get(id)?.cwd ?? '';
    return readOnlySession({ sessionId: id, cwd }, conversation, reason);
  }

  async remove(id: string): Promise<void> {
    await this.#options.transcripts?.remove(id);
    this.#known.delete(id);
  }

  /** The places with these words in the sessions of the workspace. */
  async search(text: string): Promise<{ readonly hits: readonly PanelHit[]; readonly isComplete: boolean }> {
    const hits: PanelHit[] = [];
    for await (const { id, entryKey, text: line, match } of this.#options.transcripts?.search(text) ?? []) {
      if (!this.#known.has(id)) continue;
      if (hits.length === maxHits) return { hits, isComplete: false };
      hits.push({ sessionId: id, entryKey, text: line, match });
    }
    return { hits, isComplete: true };
  }

  async export(id: string, format: ExportFormat): Promise<string> {
    const { transcripts } = this.#options;
    if (transcripts && this.#known.has(id)) return transcripts.export(id, { format });
    throw panelError('panel.not_saved', 'There is no transcript of this session.');
  }
}
