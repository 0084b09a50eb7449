import type { ClientConnection } from '../../core/client/connection.ts';
import { savedConversation } from '../../core/client/session/saved-conversation.ts';
import type { Session } from '../../core/client/session/session.ts';
import { refusedTurn } from '../../core/client/session/turn.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { SessionInfo } from '../../core/model/session.ts';
import type { ExportFormat } from '../../records/transcripts/export.ts';
import type { TranscriptInfo } from '../../records/transcripts/transcript.ts';
import type { Transcripts } from '../../records/transcripts/transcripts.ts';
import type { PanelOptions, RememberedSession } from './options.ts';
import { panelError } from './panel-error.ts';
import { isAllowed, isGone, type ReopenOptions, sessionParameters } from './sessions.ts';
import type { PanelHit } from './state.ts';

/** How many hits of a search a page gets. */
const maxHits = 200;

/** A transcript of the list. It stays the same when the list gives its session another id. */
export interface SavedSession {
  readonly transcripts: Transcripts;
  readonly info: TranscriptInfo;
}

/** A saved session that is shown without an agent. */
interface ReadOnlySession extends Session {
  /** Why it cannot be continued, or that this is not known yet. */
  readonly readOnly: string;
}

/** The transcripts of a panel: those that a page may see, and what it may do with them. */
export class SavedSessions {
  readonly #options: PanelOptions;
  /** The transcripts that were listed last, by the ids that their sessions have in the list of the panel. */
  #known = new Map<string, SavedSession>();
  /** The transcripts of the sessions that were shown to be read. */
  readonly #shown = new WeakMap<object, SavedSession>();
  #listing = Promise.resolve();
  /** What ends the recording of a session, and resolves when it is written. */
  readonly #recordings = new Map<Session, () => Promise<void>>();

  constructor(options: PanelOptions) {
    this.#options = options;
  }

  /** @param id - The id that the session has in the list. */
  get(id: string): SavedSession | undefined {
    return this.#known.get(id);
  }

  #first(isWanted: (info: TranscriptInfo) => boolean): SavedSession | undefined {
    return [...this.#known.values()].find(({ info }) => isWanted(info));
  }

  /**
   * Lists the transcripts of the workspace, the newest first. Without transcripts nothing is listed.
   *
   * @param agentName - The agent that is connected. Its transcripts have the ids of its sessions.
   */
  list(
    { limit, agentName }: { readonly limit: number; readonly agentName: string | undefined },
    take: (found: readonly SessionInfo[]) => void,
  ): Promise<void> {
    const list = async () => {
      const { transcripts } = this.#options;
      if (!transcripts) return;
      const found = new Map<string, SavedSession>();
      for await (const info of transcripts.list()) {
        if (!isAllowed(info.cwd, this.#options)) continue;
        const isOfAgent = agentName === undefined || [undefined, agentName].includes(info.agent?.name);
        found.set(freeId(found, info, isOfAgent), { transcripts, info });
        if (found.size === limit) break;
      }
      this.#known = found;
      const rows = [...found].map(([sessionId, { info }]) => {
        const { cwd, title, updatedAt } = info;
        return { sessionId, cwd, title, updatedAt };
      });
      take(rows);
    };
    this.#listing = list();
    return this.#listing;
  }

  /** Records a session from now on, until it is closed. */
  record(session: Session): void {
    const stop = this.#options.transcripts?.record(session);
    if (!stop) return;
    this.#recordings.set(session, stop);
    void session.closed.then(stop).then(() => this.#recordings.delete(session));
  }

  /** Ends the recordings. Resolves when everything is written, or cannot be. */
  async close(): Promise<void> {
    await Promise.all([...this.#recordings.values()].map((stop) => stop()));
  }

  /** The saved conversation. Default: it is shown while the agent opens the session. */
  async read(saved: SavedSession, reason = 'The agent has not opened it yet.'): Promise<ReadOnlySession> {
    return this.#readOnly(saved, await saved.transcripts.read(saved.info.id), reason);
  }

  /** Continues a saved session. If that is not possible, it can be read. */
  async continue(saved: SavedSession, connection: ClientConnection, options: ReopenOptions) {
    const { transcripts, info } = saved;
    // The directory is the one of the session.
    const { cwd: _, ...parameters } = sessionParameters(connection, this.#options);
    const given = { ...parameters, ...options };
    const { session, conversation, reason } = await transcripts.reopen(info.id, connection, given);
    return session ?? this.#readOnly(saved, conversation, reason);
  }

  /** Opens a session that the agent has. */
  open(
    connection: ClientConnection,
    { sessionId, cwd }: RememberedSession,
    { signal, onProgress }: ReopenOptions,
  ): Promise<Session> {
    const parameters = { ...sessionParameters(connection, this.#options), sessionId, cwd };
    return connection.openSession(parameters, { signal, onProgress });
  }

  /**
   * Opens the session that was shown before the agent was started. If the agent does not have it, the transcript can be
   * read.
   *
   * @param shown - The session that is shown, if one is.
   */
  async restore(
    connection: ClientConnection,
    remembered: RememberedSession,
    shown: Session | undefined,
    options: ReopenOptions,
  ): Promise<Session> {
    const { sessionId, cwd } = remembered;
    // At the start the transcripts are still being listed.
    await this.#listing.catch(() => {});
    const known = this.#shown.get(remembered) ?? this.get(sessionId);
    // Another agent could be connected when it was shown.
    const own = known ?? this.#first((info) => idsBeside(info).includes(sessionId));
    if (own !== undefined) {
      if (!shown) options.onProgress({ session: await this.read(own), updates: 0 });
      return this.continue(own, connection, options);
    }
    try {
      return await this.open(connection, remembered, options);
    } catch (error) {
      // The agent was changed: what the one before said can be read.
      const isWanted = (info: TranscriptInfo) => info.sessionId === sessionId && info.cwd === cwd;
      const other = isGone(error) ? this.#first(isWanted) : undefined;
      if (other === undefined || options.signal.aborted) throw error;
      return this.continue(other, connection, options);
    }
  }

  /** A saved session under the id that it has in the list now. */
  #readOnly(saved: SavedSession, conversation: Conversation, reason: string): ReadOnlySession {
    const { id, sessionId, cwd } = saved.info;
    const [listedId = sessionId] = [...this.#known].find(([, { info }]) => info.id === id) ?? [];
    // The agent may have been killed while it worked. This work does not continue here.
    const rest = savedConversation('openSession', conversation.sessionId, conversation, undefined);
    const shown = readOnlySession({ sessionId: listedId, cwd }, rest, reason);
    this.#shown.set(shown, saved);
    return shown;
  }

  async remove(sessionId: string): Promise<void> {
    const saved = this.get(sessionId);
    await saved?.transcripts.remove(saved.info.id);
    this.#known.delete(sessionId);
  }

  /** The places with these words in the sessions of the workspace. */
  async search(text: string): Promise<{ readonly hits: readonly PanelHit[]; readonly isComplete: boolean }> {
    const hits: PanelHit[] = [];
    const sessionIds = new Map([...this.#known].map(([sessionId, { info }]) => [info.id, sessionId]));
    for await (const { id, entryKey, text: line, match } of this.#options.transcripts?.search(text) ?? []) {
      const sessionId = sessionIds.get(id);
      if (sessionId === undefined) continue;
      if (hits.length === maxHits) return { hits, isComplete: false };
      hits.push({ sessionId, entryKey, text: line, match });
    }
    return { hits, isComplete: true };
  }

  async export(sessionId: string, format: ExportFormat): Promise<string> {
    const saved = this.get(sessionId);
    if (saved) return saved.transcripts.export(saved.info.id, { format });
    throw panelError('panel.not_saved', 'There is no transcript of this session.');
  }
}

/**
 * The id of a transcript in the list of the panel. The newest one of a session of the agent has the id of the session, so
 * that both are one row. All others have an id that is no session's, because agents can give the same ids.
 */
function freeId(taken: ReadonlyMap<string, unknown>, info: TranscriptInfo, isOfAgent: boolean): string {
  const ids = [...(isOfAgent ? [info.sessionId] : []), ...idsBeside(info)];
  return ids.find((each) => !taken.has(each)) ?? `${info.id} (${info.updatedAt})`;
}

/** The ids of a transcript that are no session's. */
function idsBeside({ id, sessionId, agent }: TranscriptInfo): readonly string[] {
  return [...(id === sessionId ? [] : [id]), `${id} (${agent?.name ?? ''})`];
}

/** A session that can be read. What needs an agent is refused with the reason. */
export function readOnlySession(
  { sessionId, cwd }: Pick<Session, 'sessionId' | 'cwd'>,
  conversation: Conversation,
  readOnly: string,
): ReadOnlySession {
  const refusal = () => panelError('panel.read_only', `This session can only be read. ${readOnly}`);
  const refuse = () => Promise.reject(refusal());
  const ignore = () => () => {};
  return {
    sessionId,
    cwd,
    readOnly,
    conversation,
    store: { getSnapshot: () => conversation, subscribe: ignore },
    replay: null,
    subagents: [],
    isClosed: true,
    // A session that was never open has no end.
    closed: new Promise(() => {}),
    prompt: () => refusedTurn(refusal()),
    queue: () => Object.assign(refusedTurn(refusal()), { id: '' }),
    steer: refuse,
    revoke: refuse,
    cancel: async () => {},
    changeSetting: refuse,
    setMode: refuse,
    setConfigOption: refuse,
    cancelToolCall: refuse,
    cancelTerminal: refuse,
    onNotice: ignore,
    onUpdate: ignore,
    onEvent: ignore,
    close: async () => {},
  };
}
