import { type DiagnosticListener, preview } from '../../base/diagnostic.ts';
import { InvalidParamsError, NotFoundError } from '../../base/errors.ts';
import { checkOptions, oneOf, optional, optionsObject, readInput } from '../../base/options.ts';
import { onAbort } from '../../base/wait.ts';
import { modelSettingId, modeSettingId } from '../../conversation/settings.ts';
import type { ConversationStore } from '../../conversation/store.ts';
import type { AnyUpdate } from '../../model/client-update.ts';
import type { ContentBlock, ContentBlockInput } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';
import type { SessionNotice } from '../../model/session.ts';
import type { ConversationUpdate } from '../../model/update.ts';
import type { Calls, ConfigValue } from '../../protocol/calls.ts';
import { type CallOptions, checkCallOptions } from '../calls/call-options.ts';
import { callSite, runCall } from '../calls/call-site.ts';
import type { Caller } from '../calls/calls.ts';
import { countdown } from '../calls/login.ts';
import { assertAttached, assertOpen } from './assert-open.ts';
import type { PromptCall } from './awaited-turns.ts';
import { sendWhenBegun, watchCancel } from './ignored-cancel.ts';
import type { SessionEnd } from './machine/session-end.ts';
import { assertNamed, assertOffered, type OfferedCall, offeredCalls } from './offered-calls.ts';
import { repeatableCall } from './prompt-call.ts';
import type { SessionRunner } from './runner.ts';
import type { Session, SessionEventOptions, UpdateContext } from './session.ts';
import { isUnreported, withChoice } from './setting-changes.ts';
import { reasonOf, type SteerOptions, type SteerResult, steerOptionsSchema } from './steering.ts';
import type { Subagent } from './subagent.ts';
import {
  checkPromptOptions,
  type PromptOptions,
  type PromptTurn,
  type QueuedPrompt,
  refusedTurn,
} from './turn.ts';
import { registerTurn } from './turn-source.ts';
import type { StartedTurn } from './user-messages.ts';

const eventOptionsSchema = optionsObject({ during: optional(oneOf('always', 'idle')) });

/** What a session needs of its connection. */
interface SessionParts {
  readonly caller: Caller;
  readonly report: DiagnosticListener;
  /** Removes the session from the connection. */
  readonly forget: () => Promise<void>;
  readonly subagents: () => readonly Subagent[];
}

/** A session of a connection, as its user holds it. */
export class OpenSession implements Session {
  readonly sessionId: string;
  readonly store: ConversationStore;
  readonly #runner: SessionRunner;
  readonly #caller: Caller;
  readonly #parts: SessionParts;
  #closing: Promise<void> | undefined;

  constructor(runner: SessionRunner, parts: SessionParts) {
    this.sessionId = runner.sessionId;
    this.store = runner.store;
    this.#runner = runner;
    this.#caller = parts.caller;
    this.#parts = parts;
  }

  get conversation(): Conversation {
    return this.#runner.conversation;
  }

  get cwd(): string {
    return this.#runner.setup.cwd;
  }

  get replay(): Session['replay'] {
    return this.#runner.replay;
  }

  get subagents(): readonly Subagent[] {
    return this.#parts.subagents();
  }

  get isClosed(): boolean {
    return this.#runner.status === 'closed';
  }

  get closed(): Promise<SessionEnd> {
    return this.#runner.closed;
  }

  prompt(prompt: string | readonly ContentBlockInput[], options: PromptOptions = {}): PromptTurn {
    const withSite = callSite(this, 'prompt');
    try {
      const content = this.#checkedPrompt(prompt, options);
      const sent = repeatableCall(this.#caller, this.#runner, content, options);
      sent.check();
      assertAttached(this.#runner, 'session/prompt');
      return this.#begin(options, (call) =>
        this.#runner.messages.prompt(content, { ...call, ...sent, withSite }),
      );
    } catch (error) {
      return this.#refused(withSite(error));
    }
  }

  #refused(error: unknown): PromptTurn {
    const turn = refusedTurn(error);
    registerTurn(turn, { session: this, key: () => undefined });
    return turn;
  }

  #checkedPrompt(prompt: string | readonly ContentBlockInput[], options: PromptOptions) {
    assertOpen(this.#runner, this.#caller, 'session/prompt');
    checkPromptOptions(options);
    options.signal?.throwIfAborted();
    return blocksOf('session/prompt', prompt);
  }

  /** Begins a turn, which the signal of its options ends. */
  #begin<T extends PromptTurn>(
    { signal, timeoutMs }: PromptOptions,
    start: (call: Pick<PromptCall, 'cancel' | 'signal' | 'logIn'>) => StartedTurn<T>,
  ): T {
    // Where the cancellation cannot be sent, the end of the connection ends the turn.
    const cancel = () => void this.cancel().catch(() => {});
    const remainingMs = countdown(timeoutMs);
    const logIn = this.#caller.loginFor('session/prompt', { signal, remainingMs });
    const { turn, key } = start({ cancel, signal, logIn });
    const stopListening = onAbort(signal, () => {
      const reason: unknown = signal?.reason;
      this.#runner.dispatch({ type: 'prompt_abandoned', key: key(), reason });
    });
    turn.finally(stopListening).catch(() => {});
    registerTurn(turn, { session: this, key });
    return turn;
  }

  queue(content: string | readonly ContentBlockInput[], options: PromptOptions = {}): QueuedPrompt {
    const withSite = callSite(this, 'queue');
    try {
      return this.#queue(this.#checkedPrompt(content, options), options, withSite);
    } catch (error) {
      return Object.assign(this.#refused(withSite(error)), { id: '' });
    }
  }

  #queue(
    content: readonly ContentBlock[],
    options: PromptOptions,
    withSite: (error: unknown) => unknown,
    id?: string,
  ): QueuedPrompt {
    const sent = repeatableCall(this.#caller, this.#runner, content, options);
    // What is wrong is said now. While the agent is started again, it is not known what the new one supports.
    if (this.#caller.canSend) sent.check();
    return this.#begin(options, (call) =>
      this.#runner.messages.queue(content, { ...call, ...sent, withSite }, id),
    );
  }

  steer(content: string | readonly ContentBlockInput[], options: SteerOptions = {}): Promise<SteerResult> {
    return runCall(this, 'steer', async () => {
      assertOpen(this.#runner, this.#caller, 'session.steer');
      checkOptions('steer', steerOptionsSchema, options, 'Nothing was sent.');
      const { fallback = 'queue', ...callOptions } = options;
      const blocks = blocksOf('session.steer', content);
      const call = this.#caller.supports('session.inject') ? 'inject' : 'steer';
      const prompt = { sessionId: this.sessionId, prompt: blocks };
      const send = this.#caller.prepare(call, prompt, callOptions);
      assertAttached(this.#runner, 'session.steer');
      if (!options.allowUnsupported) assertNamed('session.steer', this.#runner.conversation, prompt);
      let id: string | undefined;
      if (this.#runner.isAtWork) {
        const steering = this.#runner.messages.steer(blocks, send, call === 'inject');
        const { outcome } = await steering.answer;
        id = steering.id;
        if (outcome === 'injected' || outcome === 'startedNewTurn') return { outcome, id };
      }
      if (fallback === 'queue') {
        const withSite = callSite(this, 'steer');
        return { outcome: 'queued', turn: this.#queue(blocks, callOptions, withSite, id) };
      }
      if (id !== undefined) this.#runner.dispatch({ type: 'revoked', id });
      return { outcome: 'notTaken' };
    });
  }

  revoke(id: string, options: CallOptions = {}): Promise<boolean> {
    return runCall(this, 'revoke', async () => {
      checkCallOptions('revoke', options);
      const runner = this.#runner;
      await runner.messages.answered(id);
      const message = runner.state.pending.find((waiting) => waiting.id === id);
      if (!message) return false;
      if (message.kind === 'steer') {
        // Without an id the agent has no method for it, and the call is refused.
        const named = { sessionId: this.sessionId, messageId: message.messageId ?? '' };
        const send = this.#caller.prepare('revoke', named, options);
        try {
          await send();
        } catch (error) {
          const reason = reasonOf(error);
          if (reason !== 'already_delivered' && reason !== 'unknown_message_id') throw error;
          runner.dispatch({ type: reason === 'already_delivered' ? 'delivered' : 'revoked', id });
          return false;
        }
      }
      runner.dispatch({ type: 'revoked', id });
      return true;
    });
  }

  cancel(options: CallOptions = {}): Promise<void> {
    return runCall(this, 'cancel', async () => {
      // A prompt that waits for the agent is not sent again.
      if (!this.#caller.canSend) return this.#runner.cancel(async () => {});
      const send = this.#caller.prepare('cancel', { sessionId: this.sessionId }, options);
      const works = this.subagents.some(({ state }) => state?.state !== 'idle');
      // Calls of the editor's tools end. Some agents would cancel the next turn with what they get while they are idle.
      const sendLater = sendWhenBegun(this.#runner, this.#caller.link.agent, send);
      await this.#runner.cancel(this.#runner.status === 'idle' && !works ? async () => {} : sendLater);
      watchCancel(this.#runner, this.#parts.report);
    });
  }

  changeSetting(settingId: string, value: ConfigValue, options: CallOptions = {}): Promise<void> {
    return runCall(this, 'changeSetting', () => {
      const { configOptions, modes, models } = this.#runner.conversation;
      const isOption = configOptions.some(({ configId }) => configId === settingId);
      if (!isOption && settingId === modeSettingId && modes) return this.#setMode(String(value), options);
      if (!isOption && settingId === modelSettingId && models) return this.#setModel(String(value), options);
      return this.#setConfigOption(settingId, value, options);
    });
  }

  setMode(modeId: string, options: CallOptions = {}): Promise<void> {
    return runCall(this, 'setMode', () => this.#setMode(modeId, options));
  }

  async #setMode(modeId: string, options: CallOptions): Promise<void> {
    const answer = this.#callOffered('setMode', { sessionId: this.sessionId, modeId }, options);
    if (await isUnreported(this.#runner, answer, modeSettingId))
      this.#changed({ sessionUpdate: 'current_mode_update', currentModeId: modeId });
  }

  async #setModel(modelId: string, options: CallOptions): Promise<void> {
    const answer = this.#callOffered('setModel', { sessionId: this.sessionId, modelId }, options);
    const isAsked = await isUnreported(this.#runner, answer, modelSettingId);
    const { models } = this.#runner.conversation;
    if (models && isAsked)
      this.#changed({ sessionUpdate: 'models_update', models: { ...models, currentModelId: modelId } });
  }

  setConfigOption(configId: string, value: ConfigValue, options: CallOptions = {}): Promise<void> {
    return runCall(this, 'setConfigOption', () => this.#setConfigOption(configId, value, options));
  }

  async #setConfigOption(configId: string, value: ConfigValue, options: CallOptions): Promise<void> {
    const input = { sessionId: this.sessionId, configId, value };
    const answer = this.#callOffered('setConfigOption', input, options);
    const { category } = this.conversation.configOptions.find((option) => option.configId === configId) ?? {};
    const isAsked = await isUnreported(this.#runner, answer, configId, category ?? configId);
    const told = (await answer).configOptions;
    const configOptions =
      told ?? (isAsked ? withChoice(this.conversation.configOptions, configId, value) : undefined);
    if (configOptions) this.#changed({ sessionUpdate: 'config_option_update', configOptions });
  }

  cancelToolCall(toolCallId: string, options: CallOptions = {}): Promise<void> {
    const params = { sessionId: this.sessionId, toolCallId };
    return runCall(this, 'cancelToolCall', () => this.#callOffered('cancelToolCall', params, options));
  }

  cancelTerminal(terminalId: string, options: CallOptions = {}): Promise<void> {
    const params = { sessionId: this.sessionId, terminalId };
    return runCall(this, 'cancelTerminal', () => this.#callOffered('cancelTerminal', params, options));
  }

  onNotice(listener: (notice: SessionNotice) => void): () => void {
    return this.#runner.notices.add(listener);
  }

  onUpdate(listener: (update: ConversationUpdate, context: UpdateContext) => void): () => void {
    return this.#runner.updates.add(listener);
  }

  onEvent(listener: (event: ConversationEvent) => void, options: SessionEventOptions = {}): () => void {
    checkOptions('onEvent', eventOptionsSchema, options, 'No listener was added.');
    return this.#runner.delivery.listen(listener, options.during ?? 'always');
  }

  close(options: CallOptions = {}): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.#closing ??= runCall(this, 'close', async () => {
      if (this.#runner.state.isDetached) {
        // The process that had the session has ended. The client does not open the session in the next process. If it
        // has begun to, it sends `session/close` afterwards.
        this.#runner.dispatch({ type: 'closed', end: { reason: 'closed' } });
        return this.#parts.forget();
      }
      const send = this.#caller.prepare('closeSession', { sessionId: this.sessionId }, options);
      // A session that the agent does not know is closed.
      const sendClose = () =>
        send().catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error;
        });
      try {
        await this.#runner.close('closed', sendClose);
      } finally {
        if (this.isClosed) await this.#parts.forget();
      }
    }).finally(() => {
      this.#closing = undefined;
    });
    return this.#closing;
  }

  /** Makes a call that the session must offer. */
  async #callOffered<K extends OfferedCall>(
    name: K,
    input: Calls[K][0],
    options: CallOptions,
  ): Promise<Calls[K][1]> {
    assertOpen(this.#runner, this.#caller, offeredCalls[name]);
    const send = this.#caller.prepare(name, input, options);
    assertAttached(this.#runner, offeredCalls[name]);
    if (!options.allowUnsupported) assertOffered(name, this.#runner.conversation, input);
    return send();
  }

  #changed(update: AnyUpdate): void {
    this.#runner.dispatch({ type: 'changed', update });
  }
}

function blocksOf(method: string, content: string | readonly ContentBlockInput[]): readonly ContentBlock[] {
  const refused = (given: string, remedy: string) =>
    new InvalidParamsError(`${method} was called with ${given}. Nothing was sent. ${remedy}`, { method });
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw refused(preview(content), 'Pass a text or a list of content blocks.');
  }
  if (content.length === 0) {
    throw refused(content === '' ? 'an empty text' : 'no content blocks', 'Pass the text of the prompt.');
  }
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  // A copy: the message can wait, and the conversation freezes it. The caller may use its list again.
  return readInput(() => JSON.parse(JSON.stringify(content)));
}
