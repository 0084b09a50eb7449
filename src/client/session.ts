import { modeSettingId } from '../conversation/settings.ts';
import type { ConversationStore } from '../conversation/store.ts';
import { preview } from '../diagnostic.ts';
import { ConnectionStateError, InvalidParamsError, NotFoundError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { Notice } from '../model/session.ts';
import type { Calls, ConfigValue } from '../protocol/calls.ts';
import { onAbort } from '../wait.ts';
import type { CallOptions, Preparing } from './calls.ts';
import type { LiveSession } from './live-session.ts';
import { assertOptions } from './parameters.ts';
import { assertOffered, type RuledCall, ruledCalls } from './session-rules.ts';
import type { PromptTurn } from './turn.ts';

/** What a prompt takes beside its content. */
export interface PromptOptions extends CallOptions {
  /** Goes along with the prompt as its `_meta`. */
  readonly meta?: JsonObject;
}

/**
 * One conversation with the agent: prompt it, cancel it, read what was said.
 *
 * Updates are folded in the order of the wire. When a method resolves, everything that the agent sent before its
 * answer is already in {@link Session.conversation}.
 */
export class Session {
  readonly sessionId: string;
  /** What was said, kept up to date. */
  readonly conversation: ConversationStore;
  readonly #live: LiveSession;
  readonly #caller: Preparing;
  readonly #forget: () => void;

  // What is internal is left out of the declarations: without this one the class would seem to have an empty constructor.
  private constructor(live: LiveSession, caller: Preparing, forget: () => void) {
    this.sessionId = live.sessionId;
    this.conversation = live.store;
    this.#live = live;
    this.#caller = caller;
    this.#forget = forget;
  }

  /** @internal Sessions are had from a connection. */
  static create(live: LiveSession, caller: Preparing, forget: () => void): Session {
    return new Session(live, caller, forget);
  }

  /** The folder that the session works in, as it was opened with. */
  get cwd(): string {
    return this.#live.setup.cwd;
  }

  /** Whether the session was closed, or its connection ended. */
  get closed(): boolean {
    return this.#live.closed;
  }

  /**
   * Sends a prompt and waits for its turn to end, whichever way the agent's version says so. There is no time
   * limit: a turn takes as long as the work does.
   *
   * The prompt stands in the conversation at once, as an entry of origin `local`, until the agent confirms it. If
   * the agent refuses it the entry goes, and the text is the caller's to offer again. Several prompts may be open.
   *
   * @param options.signal - Aborting cancels the turn and rejects with the signal's reason.
   * @throws {@link InvalidParamsError} if the prompt is empty.
   * @throws {@link CapabilityError} if a block needs a capability that the agent did not advertise.
   * @throws {@link ConnectionClosedError} if the agent ends before the turn does.
   *
   * @example
   * ```ts
   * const { stopReason } = await session.prompt('Fix the failing test.');
   * ```
   * @see https://agentclientprotocol.com/protocol/prompt-turn
   */
  prompt(prompt: string | readonly ContentBlock[], options: PromptOptions = {}): PromptTurn {
    try {
      return this.#prompt(prompt, options);
    } catch (error) {
      const rejected = Promise.reject(error);
      const accepted = Promise.reject(error);
      rejected.catch(() => {});
      accepted.catch(() => {});
      return Object.assign(rejected, { accepted });
    }
  }

  #prompt(prompt: string | readonly ContentBlock[], { signal, meta, ...options }: PromptOptions): PromptTurn {
    this.#assertOpen('session/prompt');
    assertOptions('session/prompt', signal ? { signal } : {});
    signal?.throwIfAborted();
    const content = blocksOf(prompt);
    const withdrawal = new AbortController();
    const send = this.#caller.prepare(
      'prompt',
      { sessionId: this.sessionId, prompt: content, ...(meta && { _meta: meta }) },
      { ...options, withdraw: withdrawal.signal },
    );
    const turn = this.#live.turns.submit(content, send);
    return signal ? this.#abortable(turn, signal, withdrawal) : turn;
  }

  /** The turn goes on until the agent ends it; who aborted does not wait for that. */
  #abortable(turn: PromptTurn, signal: AbortSignal, withdrawal: AbortController): PromptTurn {
    const settled = new Promise<Awaited<PromptTurn>>((resolve, reject) => {
      const stopListening = onAbort(signal, () => {
        reject(signal.reason);
        withdrawal.abort();
        this.cancel().catch(() => {});
      });
      turn.then(resolve, reject).finally(stopListening);
    });
    settled.catch(() => {});
    return Object.assign(settled, { accepted: turn.accepted });
  }

  /**
   * Asks the agent to stop what it is doing. Resolves when that was sent: the turn ends when the agent says so, as
   * a rule with the stop reason `cancelled`, and what it still reports is taken.
   *
   * Questions that wait for the user are answered `cancelled`, those that still arrive included, and unfinished
   * tool calls are shown as cancelled; work that the agent reported as background is left alone.
   *
   * @see https://agentclientprotocol.com/protocol/prompt-turn#cancellation
   */
  async cancel(options: CallOptions = {}): Promise<void> {
    this.#assertOpen('session/cancel');
    const { questions, turns } = this.#live;
    const send = this.#caller.prepare('cancel', { sessionId: this.sessionId }, options);
    questions.cancelling = turns.size > 0 || this.#live.conversation.activity.state !== 'idle';
    const sent = send();
    questions.cancel();
    this.#live.fold({ sessionUpdate: 'unfinished_cancelled' });
    await sent;
  }

  /**
   * Changes one of the session's settings, as `settings(conversation)` lists them, by whichever call it takes.
   *
   * @throws {@link InvalidParamsError} if the session has no such setting, or the setting no such value.
   *
   * @example
   * ```ts
   * await session.change('model', 'small');
   * ```
   */
  async change(settingId: string, value: ConfigValue, options: CallOptions = {}): Promise<void> {
    const conversation = this.#live.conversation;
    const isOption = conversation.configOptions.some(({ configId }) => configId === settingId);
    if (isOption || settingId !== modeSettingId || !conversation.modes) {
      await this.setConfigOption(settingId, value, options);
    } else await this.setMode(String(value), options);
  }

  /**
   * Puts the session into another mode. Version 1 only; prefer {@link Session.setConfigOption} where an agent has
   * both.
   *
   * @throws {@link InvalidParamsError} if the session has no such mode.
   * @throws {@link CapabilityError} in version 2, which has no modes.
   * @see https://agentclientprotocol.com/protocol/session-modes
   */
  async setMode(modeId: string, options: CallOptions = {}): Promise<void> {
    await this.#offered('setMode', { sessionId: this.sessionId, modeId }, options);
    this.#live.fold({ sessionUpdate: 'current_mode_update', currentModeId: modeId });
  }

  /**
   * Changes a setting of the session. The conversation shows what the agent answers, which may change others too.
   *
   * @throws {@link InvalidParamsError} if the session has no such option, or the option no such value.
   * @see https://agentclientprotocol.com/protocol/session-config-options
   */
  async setConfigOption(configId: string, value: ConfigValue, options: CallOptions = {}): Promise<void> {
    const input = { sessionId: this.sessionId, configId, value };
    const answer = await this.#offered('setConfigOption', input, options);
    const now = answer.configOptions ?? this.#chosen(configId, value);
    this.#live.fold({ sessionUpdate: 'config_option_update', configOptions: now });
  }

  /** Some agents answer nothing: what was asked for is then taken to be so. */
  #chosen(configId: string, value: ConfigValue) {
    return this.#live.conversation.configOptions.map((option) =>
      option.configId === configId ? ({ ...option, currentValue: value } as typeof option) : option,
    );
  }

  /**
   * Stops one tool call. Version 2 only, and only while that call says that it can be stopped.
   *
   * @throws {@link CapabilityError} if the tool call does not offer it now.
   */
  async cancelToolCall(toolCallId: string, options: CallOptions = {}): Promise<void> {
    await this.#offered('cancelToolCall', { sessionId: this.sessionId, toolCallId }, options);
  }

  /** Stops one terminal of the agent's. Version 2 only, and only while that terminal says that it can be stopped. */
  async cancelTerminal(terminalId: string, options: CallOptions = {}): Promise<void> {
    await this.#offered('cancelTerminal', { sessionId: this.sessionId, terminalId }, options);
  }

  /**
   * Calls `listener` for each notice of the agent's: what the user is to know now, and what is no part of the
   * transcript. Returns the way to stop.
   *
   * @example
   * ```ts
   * const stop = session.onNotice(({ severity, title }) => showBanner(severity, title));
   * ```
   */
  onNotice(listener: (notice: Notice) => void): () => void {
    this.#live.noticeListeners.add(listener);
    return () => {
      this.#live.noticeListeners.delete(listener);
    };
  }

  /**
   * Closes the session at the agent, which stops its work and lets go of what it holds. The conversation stays
   * readable. A session that the agent does not know any more counts as closed.
   *
   * @see https://agentclientprotocol.com/protocol/session-setup#closing-sessions
   */
  async close(options: CallOptions = {}): Promise<void> {
    if (this.#live.closed) return;
    const send = this.#caller.prepare('closeSession', { sessionId: this.sessionId }, options);
    try {
      await send();
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
    this.#forget();
    this.#live.end();
  }

  /** Makes a call that the session must offer. */
  #offered<K extends RuledCall>(name: K, input: Calls[K][0], options: CallOptions): Promise<Calls[K][1]> {
    this.#assertOpen(ruledCalls[name]);
    const send = this.#caller.prepare(name, input, options);
    if (!options.allowUnsupported) assertOffered(name, this.#live.conversation, input);
    return send();
  }

  #assertOpen(method: string): void {
    if (!this.#live.closed) return;
    // How the connection ended says more, where that is what closed the session.
    const refusal = this.#caller.refusal(method);
    if (refusal) throw refusal;
    throw new ConnectionStateError(
      `${method} was called on the session ${this.sessionId}, which is closed. Nothing was sent. Load or resume the session first.`,
      { method },
    );
  }
}

function blocksOf(prompt: string | readonly ContentBlock[]): readonly ContentBlock[] {
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
    throw new InvalidParamsError(
      `session/prompt was called with ${preview(prompt)}. Nothing was sent. Give it a text, or a list of blocks.`,
      { method: 'session/prompt' },
    );
  }
  if (prompt.length === 0) {
    throw new InvalidParamsError(
      `session/prompt was called with ${prompt === '' ? 'an empty text' : 'no blocks'}. Nothing was sent. Give it something to say.`,
      { method: 'session/prompt' },
    );
  }
  return typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
}
