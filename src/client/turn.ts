import { ConnectionClosedError, RemoteError } from '../errors.ts';
import type { ContentBlock } from '../model/content.ts';
import type { PromptAnswer } from '../protocol/calls.ts';
import type { Dialect } from '../protocol/dialect.ts';
import * as rpcCodes from '../rpc/codes.ts';
import type { LiveSession } from './live-session.ts';

/** That the agent took a prompt, and under which id if it gave one. */
export interface PromptAcceptance {
  readonly messageId: string | null;
}

/** How a turn ended. */
export interface PromptResult {
  /** `null` where the agent came to rest without saying why. Treat a reason that you do not know as an end. */
  readonly stopReason:
    | 'end_turn'
    | 'max_tokens'
    | 'max_turn_requests'
    | 'refusal'
    | 'cancelled'
    | 'error'
    | (string & {})
    | null;
  readonly messageId: string | null;
}

/** The end of a turn, awaited; and before it, that the agent took the prompt. */
export interface PromptTurn extends Promise<PromptResult> {
  /**
   * Resolves when the agent took the prompt. Version 1 has no receipt: there the end of the turn is the first that
   * is known. Rejects with what the turn rejects with, if that comes first.
   */
  readonly accepted: Promise<PromptAcceptance>;
}

interface Turn {
  readonly key: string;
  acceptance: PromptAcceptance | undefined;
  /** Whether the agent has said or done anything since, with no other prompt open that it could be for. */
  begun: boolean;
  /** The session's rests when the prompt was sent, so that an earlier rest does not count. */
  readonly sentAt: number;
  readonly accept: (acceptance: PromptAcceptance) => void;
  readonly settle: (result: PromptResult) => void;
  readonly fail: (error: unknown) => void;
}

/** Answers that say a version 1 agent never began: the prompt is not part of the conversation. */
const refusals: ReadonlySet<number> = new Set([
  rpcCodes.authRequired,
  rpcCodes.invalidRequest,
  rpcCodes.invalidParams,
  rpcCodes.methodNotFound,
  rpcCodes.notFound,
]);

/**
 * The prompts of one session that are under way, and when each of them ends: in version 1 with its answer, in
 * version 2 with the first rest after the agent took it. This is the one place that knows the difference.
 */
export class Turns {
  readonly #session: LiveSession;
  readonly #endOfTurn: () => Dialect['endOfTurn'];
  readonly #open = new Set<Turn>();
  /** Counts updates that matter here, so that "before" and "after" on the wire can be told. */
  #clock = 0;
  #rest: { readonly at: number; readonly stopReason: string | null } | undefined;
  readonly #echoes = new Map<string, number>();
  #count = 0;
  #lastStopReason: string | null = null;
  #lastError: { readonly code: number; readonly message: string } | undefined;

  constructor(session: LiveSession, endOfTurn: () => Dialect['endOfTurn']) {
    this.#session = session;
    this.#endOfTurn = endOfTurn;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Shows a prompt, sends it, and follows its turn. */
  submit(content: readonly ContentBlock[], send: () => Promise<PromptAnswer>): PromptTurn {
    const key = `prompt:${++this.#count}`;
    let accept: Turn['accept'] = () => {};
    let refuse: (error: unknown) => void = () => {};
    const accepted = new Promise<PromptAcceptance>((resolve, reject) => {
      accept = resolve;
      refuse = reject;
    });
    const settled = new Promise<PromptResult>((resolve, reject) => {
      const turn: Turn = {
        key,
        acceptance: undefined,
        begun: false,
        sentAt: ++this.#clock,
        accept,
        settle: (result) => {
          this.#close(turn, result.stopReason);
          resolve(result);
        },
        fail: (error) => {
          this.#close(turn, null);
          refuse(error);
          reject(error);
        },
      };
      this.#session.questions.cancelling = false;
      this.#open.add(turn);
      this.#session.stall.start();
      this.#session.fold({ sessionUpdate: 'prompt_submitted', key, content });
      this.showActivity();
      send().then(
        (answer) => this.#answered(turn, answer),
        (error: unknown) => this.#failed(turn, error),
      );
    });
    // An editor that awaits one of the two, or neither, is not to crash of an unhandled rejection.
    accepted.catch(() => {});
    settled.catch(() => {});
    return Object.assign(settled, { accepted });
  }

  /** The agent said what the session is doing. */
  stateReported(state: string, stopReason: string | null): void {
    if (!this.isReported) return;
    const at = ++this.#clock;
    if (state !== 'idle') return;
    this.#session.questions.cancelling = false;
    // Some agents call a turn off, as when the user refuses a permission, and leave its tool calls as they were.
    if (stopReason === 'cancelled') this.#session.fold({ sessionUpdate: 'unfinished_cancelled' });
    this.#rest = { at, stopReason };
    for (const turn of [...this.#open]) {
      if (turn.acceptance) turn.settle({ stopReason, messageId: turn.acceptance.messageId });
    }
  }

  /** The agent reported a user message. */
  echoed(messageId: string): void {
    if (this.#open.size > 0 && !this.#echoes.has(messageId)) this.#echoes.set(messageId, ++this.#clock);
  }

  /** The agent said or did something. */
  worked(): void {
    if (this.#open.size !== 1) return;
    for (const turn of this.#open) turn.begun = true;
  }

  /** Nothing more will come: what is still under way ends. */
  end(error: unknown): void {
    for (const turn of [...this.#open]) {
      if (error === undefined)
        turn.settle({ stopReason: 'cancelled', messageId: turn.acceptance?.messageId ?? null });
      else turn.fail(this.#withAcceptance(turn, error));
    }
  }

  /** Version 1 does not say what a session is doing: it follows from the prompts and questions that are open. */
  showActivity(): void {
    if (this.isReported) return;
    const waiting = this.#session.questions.size > 0;
    const busy = this.isBusy;
    this.#session.fold({
      sessionUpdate: 'state_update',
      state: waiting ? 'requires_action' : busy ? 'running' : 'idle',
      stopReason: busy ? null : this.#lastStopReason,
      ...(!busy && this.#lastError && { error: this.#lastError }),
    });
  }

  /** Whether the agent says itself what the session is doing, and so when its work begins. */
  get isReported(): boolean {
    return this.#endOfTurn() !== 'response';
  }

  /** Whether a prompt or a question is open. */
  get isBusy(): boolean {
    return this.#open.size > 0 || this.#session.questions.size > 0;
  }

  #answered(turn: Turn, { stopReason, messageId: named }: PromptAnswer): void {
    if (!this.#open.has(turn)) return;
    const messageId = named ?? this.#idOf(turn);
    const echoedAt = messageId === null ? undefined : this.#echoes.get(messageId);
    turn.acceptance = { messageId };
    if (messageId !== null) {
      this.#session.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: true, messageId });
    }
    turn.accept(turn.acceptance);
    if (stopReason !== undefined) {
      turn.settle({ stopReason, messageId });
      return;
    }
    if (!this.isReported) {
      turn.settle({ stopReason: null, messageId });
      return;
    }
    // The receipt may come last: what was reported of this very message counts, and so does a rest after it.
    const rest = this.#rest;
    if (rest && rest.at > turn.sentAt && echoedAt !== undefined && rest.at > echoedAt) {
      turn.settle({ stopReason: rest.stopReason, messageId });
    }
  }

  #failed(turn: Turn, error: unknown): void {
    if (!this.#open.has(turn)) return;
    const isAnswer = error instanceof RemoteError;
    const inserted = !this.isReported && isAnswer && !refusals.has(error.rpcCode);
    this.#lastError = isAnswer ? { code: error.rpcCode, message: error.message } : undefined;
    // Of a prompt whose answer never came it is not known whether the agent took it: it stays as it was sent.
    if (isAnswer) {
      this.#session.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: inserted });
    }
    turn.fail(this.#withAcceptance(turn, error));
  }

  /** The id under which the agent has reported the prompt: earlier drafts have none in the receipt. */
  #idOf({ key }: Turn): string | null {
    const entry = this.#session.conversation.entries.find((candidate) => candidate.key === key);
    return entry?.kind === 'message' ? entry.messageId : null;
  }

  /** Says of a prompt that the end of the connection caught whether the agent had taken it. */
  #withAcceptance(turn: Turn, error: unknown): unknown {
    if (!(error instanceof ConnectionClosedError)) return error;
    const entry = this.#session.conversation.entries.find(({ key }) => key === turn.key);
    const confirmed =
      turn.acceptance !== undefined || (entry !== undefined && 'origin' in entry && entry.origin !== 'local');
    const accepted = confirmed || turn.begun;
    const said = confirmed
      ? 'The agent had accepted the prompt.'
      : accepted
        ? 'The agent had begun to work on the prompt.'
        : 'Whether the agent had accepted the prompt is not known: there was no sign of it.';
    return new ConnectionClosedError(`${error.message} ${said}`, {
      method: 'session/prompt',
      exit: error.exit,
      cause: error.cause,
      promptAccepted: accepted,
    });
  }

  #close(turn: Turn, stopReason: string | null): void {
    this.#open.delete(turn);
    // What the agent has not repeated by now it will not: the prompt stands as it was sent.
    if (turn.acceptance) {
      this.#session.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: true });
    }
    this.#lastStopReason = stopReason ?? (this.#lastError ? 'error' : null);
    if (this.#open.size > 0) return;
    this.#session.stall.stop();
    this.#echoes.clear();
    if (this.isReported) return;
    this.#session.questions.cancelling = false;
    this.#session.fold({ sessionUpdate: 'unfinished_cancelled' });
    this.showActivity();
    this.#lastError = undefined;
  }
}
