import type { JsonObject } from '../../base/json.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import type { Conversation, SessionActivity } from '../../model/conversation.ts';
import type { CancelCapability } from '../../model/tool-call.ts';
import type { CallOptions } from '../calls/call-options.ts';

/**
 * A session that works for another session. Its properties follow what the agent reports. The agent gives it its work:
 * a client can read it, answer its requests, and cancel it where the agent permits that.
 *
 * @see https://agentclientprotocol.com/protocol/v2/subagents
 */
export interface Subagent {
  readonly sessionId: string;
  /** The session that it works for: the user's session, or of another subagent. */
  readonly parentSessionId: string;
  /** The name to show. `null` if the agent gives none. */
  readonly title: string | null;
  /** What the subagent is for. `null` if the agent does not say it. */
  readonly description: string | null;
  /**
   * The work of the subagent. `null` if it is not known: the agent has not reported it, or not since the session was
   * opened again. The conversation then shows `idle`, as that of a new session does.
   */
  readonly state: SessionActivity | null;
  /** What the agent permits the client to do with the subagent. `null`: nothing. */
  readonly capabilities: CancelCapability | null;
  /** The working directory: its own, or that of the session that it works for. */
  readonly cwd: string;
  /** The further directories that it works in: its own, or those of the session that it works for. */
  readonly additionalDirectories: readonly string[];
  /** `_meta` of the subagent. */
  readonly meta: JsonObject | null;
  /** The transcript and the state of the subagent now. The same object until something changes. */
  readonly conversation: Conversation;
  /** The subagent's changing conversation. */
  readonly store: ConversationStore;

  /**
   * Asks the agent to stop the subagent's current work. The session that it works for continues, and can give it
   * new work. Resolves when the cancellation was sent, or when there is nothing to cancel, as {@link Session.cancel}
   * does. The work has ended when {@link Subagent.state} is `idle`.
   *
   * @throws {@link CapabilityError} if `capabilities` does not have `cancel`. Nothing is sent.
   *
   * @example
   * ```ts
   * for (const subagent of session.subagents) {
   *   if (subagent.capabilities?.cancel) await subagent.cancel();
   * }
   * ```
   * @see https://agentclientprotocol.com/protocol/v2/subagents
   */
  cancel(options?: CallOptions): Promise<void>;
}
