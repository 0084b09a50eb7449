import type { JsonObject } from '../../base/json.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import type { ContentBlockInput } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';
import type { SessionNotice } from '../../model/session.ts';
import type { ConversationUpdate } from '../../model/update.ts';
import type { ConfigValue } from '../../protocol/calls.ts';
import type { CallOptions } from '../calls/call-options.ts';
import type { SessionEnd } from './machine/session-end.ts';
import type { SteerOptions, SteerResult } from './steering.ts';
import type { Subagent } from './subagent.ts';
import type { PromptOptions, PromptTurn, QueuedPrompt } from './turn.ts';

/** Options of {@link Session.onEvent}. */
export interface SessionEventOptions {
  /** `always`: with each event. `idle`: with the events outside of turns. */
  readonly during?: 'always' | 'idle' | undefined;
}

/** What came with an update. */
export interface UpdateContext {
  /** The `_meta` of the notification, which is beside the update. That of the update itself is in the update. */
  readonly meta?: JsonObject;
}

/**
 * One conversation with the agent: send prompts, cancel them, and read the transcript.
 *
 * Updates are folded in the order of the wire. When a method resolves, everything that the agent sent before its
 * answer is already in {@link Session.store}.
 */
export interface Session {
  readonly sessionId: string;
  /** The transcript and the state of the session now. The same object until something changes. */
  readonly conversation: Conversation;
  /** The changing conversation, for a user interface: {@link Session.conversation} and a way to follow it. */
  readonly store: ConversationStore;
  /** The working directory with which the session was opened. */
  readonly cwd: string;
  /**
   * How much of the history came with the last replay of it: by a load, or when the session was opened again after a
   * restart. `complete`: the agent said so, or answered the call without an error. `truncated`: neither. The
   * conversation can then have gaps after a restart, and is what it was before after a load that failed. `null`: no
   * replay was requested, or it is under way.
   */
  readonly replay: 'complete' | 'truncated' | null;
  /**
   * The sessions that work for this one, in the order of their first update. Their permission requests reach the
   * handlers with this session and with the subagent in the context.
   *
   * @see https://agentclientprotocol.com/protocol/v2/subagents
   */
  readonly subagents: readonly Subagent[];
  /**
   * Whether the session was closed, or its connection ended. Calls on a closed session are refused. Its conversation
   * stays readable.
   */
  readonly isClosed: boolean;
  /**
   * Resolves when the session is over: everything received is folded, and its turns are settled. Its value says why.
   * Never rejects. A session that continues after the agent was started again is not over.
   *
   * @example
   * ```ts
   * void session.closed.then(({ reason, error }) => {
   *   if (reason === 'notRestored') showBanner(`The session is lost: ${error?.message}`);
   * });
   * ```
   */
  readonly closed: Promise<SessionEnd>;

  /**
   * Sends a prompt and waits for its turn to end. There is no time limit: a turn takes as long as the work does. A loop
   * over the returned turn yields its events, see {@link PromptTurn}. `await` gives how it ended: `stopReason`, such as
   * `end_turn` or `cancelled`, and where the agent says them `messageId`, `usage` and `_meta`, see {@link PromptResult}.
   *
   * The prompt is in the conversation at once, as an entry of origin `local`, until the agent confirms it. If the agent
   * refuses the prompt, the entry is removed. Several prompts can be open.
   *
   * {@link Session.cancel}, `options.signal` and leaving a loop over the turn early cancel the turn.
   *
   * @param options.signal - Aborting cancels the turn and rejects with the signal's reason.
   * @throws {@link InvalidParamsError} if the prompt is empty.
   * @throws {@link CapabilityError} if a block needs a capability that the agent did not advertise.
   * @throws {@link RemoteError} if the turn failed. `promptAccepted` says whether the agent had accepted the prompt.
   * @throws {@link ConnectionClosedError} if the agent ends before the turn does.
   *
   * @example
   * ```ts
   * const { stopReason } = await session.prompt('Fix the failing test.');
   * ```
   * @see https://agentclientprotocol.com/protocol/prompt-turn
   */
  prompt(prompt: string | readonly ContentBlockInput[], options?: PromptOptions): PromptTurn;

  /**
   * Gives the agent a message while it works, for the turn that runs. The turn continues, and gets the message between
   * two of its steps. Resolves when the agent has answered what it does with the message.
   *
   * The message is in `conversation.pendingMessages` until the agent has it, or has reported it if the agent reports
   * user messages (version 2). Then it is a user message in the transcript, once. A message that no turn takes is not
   * lost: if none runs, or the running one ends meanwhile, it is sent as a prompt.
   *
   * @param options.fallback - What happens to a message that no turn takes. Default: `queue`.
   * @param options.signal - Aborting before the agent has answered gives up the message, if the agent does not have it
   *   yet, and rejects with the signal's reason.
   * @throws {@link CapabilityError} if the agent does not support this. Use {@link Session.queue}. Ask
   *   `connection.supports('session.steer')` first.
   * @throws {@link RemoteError} if the agent refused the message. It is not in the conversation then.
   *
   * @example
   * ```ts
   * const { outcome } = await session.steer('Leave the tests alone.');
   * ```
   * @see https://github.com/agentclientprotocol/agent-client-protocol/pull/1261
   * @experimental
   */
  steer(content: string | readonly ContentBlockInput[], options?: SteerOptions): Promise<SteerResult>;

  /**
   * Sends a prompt when nothing runs: at once, or when the running turn has ended, however it ends. Several are sent in
   * order, each when the turn of the one before has ended. Works with every agent.
   *
   * The message is in `conversation.pendingMessages` until it is sent. Then everything is as with
   * {@link Session.prompt}, and the returned turn is the turn of the prompt. While the agent is started again after a
   * crash, the queue waits. If the session ends, what was not sent rejects with the error of the end, or ends with the
   * stop reason `cancelled` if you closed the session.
   *
   * @param options.signal - Aborting takes the message out of the queue, or cancels its turn, and rejects with the
   *   signal's reason.
   *
   * @example
   * ```ts
   * const next = session.queue('Now run the tests.');
   * const { stopReason } = await next;
   * ```
   */
  queue(content: string | readonly ContentBlockInput[], options?: PromptOptions): QueuedPrompt;

  /**
   * Takes back a message that waits in `conversation.pendingMessages`. Resolves to whether that was in time: the agent
   * does not get a revoked message. `false` if the message was sent or delivered before, or is not known.
   *
   * A message in the queue can always be revoked. Its turn then ends with the stop reason `cancelled`.
   *
   * @throws {@link CapabilityError} if the agent has the message, and not the feature `session.inject`.
   *
   * @example
   * ```ts
   * for (const { id } of session.conversation.pendingMessages ?? []) await session.revoke(id);
   * ```
   */
  revoke(id: string, options?: CallOptions): Promise<boolean>;

  /**
   * Asks the agent to stop. Resolves when the cancellation was sent, or when there is nothing to cancel: the session is
   * idle or closed, or the agent is being started again. The turn ends when the agent ends it, usually with the stop reason
   * `cancelled`. Updates until then are folded.
   *
   * Requests that wait for the user are answered `cancelled`, also those that arrive before the turn ends, and
   * unfinished tool calls are shown as cancelled. Work that the agent reported as background work continues.
   *
   * @see https://agentclientprotocol.com/protocol/prompt-turn#cancellation
   */
  cancel(options?: CallOptions): Promise<void>;

  /**
   * Changes one of the settings that `settingsOf(conversation)` lists, with the call that the setting needs.
   *
   * @throws {@link InvalidParamsError} if the session does not have the setting, or the setting does not have the
   *   value.
   *
   * @example
   * ```ts
   * await session.changeSetting('model', 'small');
   * ```
   */
  changeSetting(settingId: string, value: ConfigValue, options?: CallOptions): Promise<void>;

  /**
   * Changes the mode of the session. Version 1 only: {@link Session.changeSetting} works in both versions.
   *
   * @throws {@link InvalidParamsError} if the session does not have the mode.
   * @throws {@link CapabilityError} in version 2, which has no modes.
   * @see https://agentclientprotocol.com/protocol/session-modes
   */
  setMode(modeId: string, options?: CallOptions): Promise<void>;

  /**
   * Changes a config option. The conversation shows the agent's answer, which can change other options too.
   *
   * @throws {@link InvalidParamsError} if the session does not have the option, or the option does not have the value.
   * @see https://agentclientprotocol.com/protocol/session-config-options
   */
  setConfigOption(configId: string, value: ConfigValue, options?: CallOptions): Promise<void>;

  /**
   * Stops one tool call. Version 2 only, and only while the tool call advertises that it can be cancelled.
   *
   * @throws {@link CapabilityError} if the tool call does not offer it now.
   */
  cancelToolCall(toolCallId: string, options?: CallOptions): Promise<void>;

  /**
   * Stops one terminal of the agent. Version 2 only, and only while the terminal advertises that it can be cancelled.
   *
   * @throws {@link CapabilityError} if the terminal does not offer it now.
   */
  cancelTerminal(terminalId: string, options?: CallOptions): Promise<void>;

  /**
   * Calls `listener` for each notice from the agent: a message for the user that is not part of the transcript. Returns
   * the function that removes the listener.
   *
   * @example
   * ```ts
   * const stop = session.onNotice(({ severity, title }) => showBanner(severity, title));
   * ```
   */
  onNotice(listener: (notice: SessionNotice) => void): () => void;

  /**
   * Calls `listener` with each update from the agent after it was folded, in version-neutral form. Use it for `_meta`
   * that the conversation does not keep, such as that of a chunk or of the notification. Updates of a replay are
   * included. Returns the function that removes the listener.
   *
   * @example
   * ```ts
   * const stop = session.onUpdate((update, { meta }) => {
   *   if (meta?.['traceparent']) trace(update.sessionUpdate, meta['traceparent']);
   * });
   * ```
   */
  onUpdate(listener: (update: ConversationUpdate, context: UpdateContext) => void): () => void;

  /**
   * Calls `listener` with each event of the session, in the order of the wire: those of its turns, background work, a
   * replay, changed settings. Your own prompts are not events. Returns the function that removes the listener.
   *
   * For the events of one turn, loop over the turn, see {@link PromptTurn}. With `during: 'idle'`, the listener gets
   * what no such loop can get: the events outside of turns.
   *
   * @param options.during - When the listener is called. Default: `always`.
   *
   * @example
   * ```ts
   * session.onEvent(
   *   (event) => {
   *     if (event.type === 'toolCall') showInBackground(event.toolCall);
   *   },
   *   { during: 'idle' },
   * );
   * ```
   */
  onEvent(listener: (event: ConversationEvent) => void, options?: SessionEventOptions): () => void;

  /**
   * Closes the session at the agent, which stops its work and releases its resources. Requests that wait for the user
   * are first answered `cancelled`. A running load rejects. The terminals of the session are released. A session that
   * the agent no longer knows counts as closed. While the agent is being started again, the session is closed without
   * it, and is not opened again. Further calls have no effect.
   *
   * @throws {@link CapabilityError} if the agent cannot close sessions.
   * @see https://agentclientprotocol.com/protocol/session-setup#closing-sessions
   */
  close(options?: CallOptions): Promise<void>;
}
