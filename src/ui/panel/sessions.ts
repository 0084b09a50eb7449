import { AcpError, InvalidMessageError } from '../../core/base/errors.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { LoadProgress } from '../../core/client/session/opener.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { SessionInfo } from '../../core/model/session.ts';
import { firstLineOf } from '../../records/transcripts/title.ts';
import type { OpenSession } from './machine/state.ts';
import type { PanelOptions, RememberedSession } from './options.ts';
import { foldersOf, isInside } from './workspace.ts';

/** How many sessions the agent may list for each one that can be shown. */
const listedForEach = 20;

/** The sessions of the agent's list that a page can open, as many as the limit allows. `fault`: why the list is not whole. */
export async function listSessions(connection: ClientConnection, options: PanelOptions, limit: number) {
  const sessions: SessionInfo[] = [];
  if (!connection.supports('session.list')) return { sessions };
  let seen = 0;
  try {
    for await (const info of connection.listSessions()) {
      if (++seen > limit * listedForEach) break;
      if (isAllowed(info.cwd, options)) sessions.push(shortInfo(info));
      if (sessions.length === limit) break;
    }
  } catch (fault) {
    if (seen > 0 && fault instanceof InvalidMessageError) return { sessions, fault };
    throw fault;
  }
  return { sessions };
}

/** How many entries are searched for the first prompt: it begins a conversation. */
const maxSearched = 10;
const maxFirstLine = 80;

/** The sessions that are open at the agent, oldest first. */
export function openSessions(connection: ClientConnection | undefined): readonly OpenSession[] {
  return (connection?.sessions ?? []).map(({ sessionId, cwd, isClosed, conversation }) => ({
    sessionId,
    cwd,
    isClosed,
    firstLine: firstLineOf({ entries: conversation.entries.slice(0, maxSearched) }, maxFirstLine),
    isIdle: conversation.activity.state === 'idle',
    ...conversation.info,
  }));
}

/** How many entries can follow the one of a failed turn before its error is known: a message of the queue. */
const maxAfterFailure = 3;

/** Whether the last entries of a conversation tell why a turn failed. */
export function tellsFailure({ entries }: Conversation, error: unknown): boolean {
  const isAccepted = Reflect.get(Object(error), 'promptAccepted') === true;
  return isAccepted && entries.slice(-maxAfterFailure - 1).some(({ kind }) => kind === 'turnFailure');
}

/** What a session is opened with. An agent that cannot take the other folders does not get them. */
export function sessionParameters(connection: ClientConnection, { workspace }: PanelOptions) {
  const { cwd, additionalDirectories = [], mcpServers } = workspace();
  const withFolders =
    additionalDirectories.length > 0 && connection.supports('session.additionalDirectories');
  return {
    cwd,
    ...(withFolders && { additionalDirectories }),
    ...(mcpServers && { mcpServers }),
  };
}

/** What the calls that open a session again take. */
export interface ReopenOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: LoadProgress) => void;
}

/** The session of the memory, if it is one of this workspace. `fault` takes the error of a function of the editor. */
export function rememberedSession(
  options: PanelOptions,
  fault: (error: unknown) => void,
): RememberedSession | undefined {
  try {
    const kept = options.memory?.get();
    // What an editor keeps can be of an older version, or be damaged.
    if (typeof kept?.sessionId !== 'string' || typeof kept.cwd !== 'string') return undefined;
    return isAllowed(kept.cwd, options) ? { sessionId: kept.sessionId, cwd: kept.cwd } : undefined;
  } catch (error) {
    fault(error);
    return undefined;
  }
}

/** Whether an opening failed because the agent does not have the session. After a login it can have it. */
export function isGone(error: unknown): boolean {
  const code = AcpError.is(error) ? error.code : '';
  return code === 'usage.capability' || (code.startsWith('remote') && code !== 'remote.auth_required');
}

export function isAllowed(cwd: string, { sessions = 'workspace', workspace }: PanelOptions): boolean {
  return sessions === 'all' || isInside(cwd, foldersOf(workspace()));
}

/** What a page needs of a session: not its metadata. */
function shortInfo({ sessionId, cwd, title, updatedAt }: SessionInfo): SessionInfo {
  return { sessionId, cwd, ...(title != null && { title }), ...(updatedAt != null && { updatedAt }) };
}
