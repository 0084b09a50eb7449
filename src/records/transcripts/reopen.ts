import { AuthRequiredError, ConnectionClosedError, RemoteError } from '../../core/base/errors.ts';
import { omitNullish } from '../../core/base/json.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { LoadSessionOptions } from '../../core/client/session/opener.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { OpenSessionParams } from '../../core/protocol/calls.ts';
import { isAbsolutePath } from '../../core/protocol/vocabulary.ts';
import type { RecordHeader } from './format.ts';
import { isOfEarlierSession } from './transcript-id.ts';

/** How a session is continued: its parameters that a transcript does not keep, and the options of the calls. */
export interface ReopenOptions
  extends Pick<OpenSessionParams, 'mcpServers' | 'additionalDirectories'>,
    Pick<LoadSessionOptions, 'signal' | 'timeoutMs' | 'onProgress' | 'permissions'> {
  /** Where the session is continued. Default: the directory in which it was recorded. */
  readonly cwd?: string | undefined;
}

/** What became of a session. */
export type ReopenedSession =
  | {
      readonly session: Session;
      /**
       * - `loaded`: the agent has replayed what it has of the session, or the session was open already
       * - `resumed`: the agent continues the session, and has replayed nothing
       * - `none`: the agent does not have the session, has given its id to a newer one, or is another agent. The
       *   transcript is for reading.
       */
      readonly continued: 'loaded' | 'resumed';
      /** The conversation of the session. */
      readonly conversation: Conversation;
      /** Why the agent did not load the session. `null` if it did. */
      readonly reason: string | null;
    }
  | {
      readonly session: null;
      readonly continued: 'none';
      /** The saved conversation. */
      readonly conversation: Conversation;
      /** Why the session cannot be continued, in sentences for the user. */
      readonly reason: string;
    };

/** Opens a recorded session again in the best way that the agent offers. */
export async function reopenSession(
  connection: ClientConnection,
  info: Pick<RecordHeader, 'sessionId' | 'agent' | 'cwd' | 'createdAt' | 'creation'>,
  saved: Conversation,
  { cwd = info.cwd, mcpServers, additionalDirectories, onProgress, ...options }: ReopenOptions,
): Promise<ReopenedSession> {
  const { sessionId } = info;
  const none = (reason: string): ReopenedSession => ({
    session: null,
    continued: 'none',
    conversation: saved,
    reason,
  });
  const other = connection.agentInfo?.name;
  if (info.agent && other && info.agent.name !== other) {
    return none(
      `The agent ${info.agent.name} had this session, and the connected agent is ${other}. Connect to ${info.agent.name} to continue it.`,
    );
  }
  const open = connection.sessions.find((session) => session.sessionId === sessionId);
  if (open && isOfEarlierSession([info], open))
    return none(`The agent has given the id of this session, ${sessionId}, to a newer session.`);
  if (open) return { session: open, continued: 'loaded', conversation: open.conversation, reason: null };
  // A header can be damaged. A directory that the caller names is checked by the call.
  if (cwd === info.cwd && !isAbsolutePath(cwd))
    return none('The transcript does not say in which directory the session ran. Pass cwd, the directory.');
  const params = { sessionId, cwd, ...omitNullish({ mcpServers, additionalDirectories }) };
  const conversation = { ...saved, sessionId };
  const reasons: string[] = [];
  if (connection.supports('session.load')) {
    try {
      const session = await connection.loadSession(params, { ...options, onProgress, conversation });
      return { session, continued: 'loaded', conversation: session.conversation, reason: null };
    } catch (error) {
      reasons.push(`The agent did not load the session: ${refusal(error)}`);
    }
  } else reasons.push('The agent cannot load sessions.');
  if (connection.supports('session.resume')) {
    try {
      const session = await connection.resumeSession(params, { ...options, conversation });
      return { session, continued: 'resumed', conversation: session.conversation, reason: reasons.join(' ') };
    } catch (error) {
      reasons.push(`It did not resume the session: ${refusal(error)}`);
    }
  } else reasons.push('It cannot resume sessions.');
  return none(reasons.join(' '));
}

/** Why the agent refused. What is not about this session rejects the call. */
function refusal(error: unknown): string {
  const isOfAgent = error instanceof RemoteError && !(error instanceof AuthRequiredError);
  if (!isOfAgent || error instanceof ConnectionClosedError) throw error;
  return error.agentMessage;
}
