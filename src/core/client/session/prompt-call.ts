import type { ContentBlock } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { PromptAnswer } from '../../model/opening.ts';
import type { Caller } from '../calls/calls.ts';
import type { Link } from '../calls/link.ts';
import { countdown, type LoggedIn, type SendPrepared } from '../calls/login.ts';
import { assertNamed } from './offered-calls.ts';
import { type PromptOptions, randomKey } from './turn.ts';

/** The call of one prompt, however often it is sent: always with the same key, content and options. */
export interface RepeatableCall {
  /** Checks the call, and throws what is wrong. Nothing is sent. */
  readonly check: () => void;
  /** Sends the prompt. What another agent than that of the check gets is checked again. */
  readonly send: SendPrepared<PromptAnswer>;
  /** What the agent knows the prompt by. `null`: version 1 has no keys. */
  readonly idempotencyKey: string | null;
  /** Whether the caller gave the key, so that the prompt can be one that was sent before. */
  readonly hasOwnKey: boolean;
  /** How many milliseconds are left until the agent's answer is due. `undefined`: no limit, or nothing was sent. */
  readonly remainingMs: () => number | undefined;
  /** Aborting it withdraws the call. */
  readonly withdrawal: AbortController;
}

/** Prepares the call of a prompt. The signal of the options ends the turn, and not the call. */
export function repeatableCall(
  caller: Caller,
  session: { readonly sessionId: string; readonly conversation: Conversation },
  prompt: readonly ContentBlock[],
  { signal: _, timeoutMs, idempotencyKey: own, ...options }: PromptOptions,
): RepeatableCall {
  const withdrawal = new AbortController();
  const idempotencyKey = caller.link.dialect.hasPromptKeys ? (own ?? randomKey()) : null;
  const { sessionId } = session;
  const params = { sessionId, prompt, ...(idempotencyKey !== null && { idempotencyKey }) };
  let remainingMs: (() => number | undefined) | undefined;
  let checked: { readonly link: Link; readonly send: SendPrepared<PromptAnswer> } | undefined;
  const prepare = () => {
    const limits = { timeoutMs: remainingMs ? remainingMs() : timeoutMs };
    return caller.prepare('prompt', params, { ...options, ...limits }, { withdraw: withdrawal.signal });
  };
  const assertSkills = () => {
    if (!options.allowUnsupported) assertNamed('session/prompt', session.conversation, params);
  };
  return {
    check() {
      checked = { send: prepare(), link: caller.link };
      assertSkills();
    },
    async send(loggedIn?: LoggedIn) {
      const send = checked?.link === caller.link ? checked.send : prepare();
      checked = undefined;
      // What was sent before is sent again as it was.
      if (!remainingMs) assertSkills();
      remainingMs ??= countdown(timeoutMs);
      return send(loggedIn);
    },
    idempotencyKey,
    hasOwnKey: own !== undefined && idempotencyKey !== null,
    remainingMs: () => remainingMs?.(),
    withdrawal,
  };
}
