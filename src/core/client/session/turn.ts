import * as v from 'valibot';
import { type AcpError, ConnectionClosedError, HttpError, RemoteError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { checkOptions, optional, optionsObject } from '../../base/options.ts';
import type { ConversationEvent } from '../../model/event.ts';
import type { TurnUsage } from '../../model/session.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import { remoteError } from '../../rpc/remote-error.ts';
import { type CallOptions, callOptionEntries } from '../calls/call-options.ts';
import type { TurnOutcome } from './machine/effects.ts';
import type { AgentFailure } from './machine/state.ts';
import { EventStream, type Follow } from './stream.ts';

/** The agent's acceptance of a prompt. `messageId` is the id of the user's message, if the agent gave it one. */
export interface PromptAcceptance {
  readonly messageId: string | null;
  /** The `_meta` of the answer to the prompt. */
  readonly _meta?: JsonObject;
}

/** How a turn ended. */
export interface PromptResult {
  /**
   * Why the turn ended: `end_turn` if the agent was done, `cancelled` if you or the user stopped it. `null` if the agent
   * became idle without a reason. Treat an unknown reason as the end of the turn.
   */
  readonly stopReason:
    | 'end_turn'
    | 'max_tokens'
    | 'max_turn_requests'
    | 'refusal'
    | 'cancelled'
    | (string & {})
    | null;
  /** The id of the prompt's message, if the agent sent one. */
  readonly messageId: string | null;
  /** The tokens that the turn used, if the agent reports them. @experimental */
  readonly usage?: TurnUsage;
  /**
   * The `_meta` of the answer to the prompt. In version 2 with the `_meta` of the idle state that ended the turn, whose
   * values take precedence. Agents report a quota here, for example.
   */
  readonly _meta?: JsonObject;
}

/**
 * A turn: a promise of its result, and an async iterable of its events.
 *
 * A loop over the turn gives its events in the order of the wire. It ends when the turn ends, and throws if the turn
 * fails. Leaving the loop early, with `break` or by an error, cancels the turn as {@link Session.cancel} does. Events
 * wait for a slow loop.
 *
 * A loop that begins late, for example after `await turn.accepted`, still gets every event, and several loops each get
 * every event. For this, the turn keeps its changes in memory for as long as your program keeps the turn, 10,000
 * changes and 8,388,608 characters at most. If there were more before a loop begins, it throws a
 * {@link ConnectionStateError}.
 *
 * An agent does not say which prompt an update belongs to. If several prompts are open, each of their turns gets all
 * events. Your own prompt is not an event.
 *
 * @example
 * ```ts
 * for await (const event of session.prompt('Explain this function.')) {
 *   if (event.type === 'text') process.stdout.write(event.text);
 * }
 * ```
 */
export interface PromptTurn extends Promise<PromptResult>, AsyncIterable<ConversationEvent> {
  /** The same events. Leaving a loop over these does not cancel the turn. */
  readonly events: AsyncIterable<ConversationEvent>;
  /**
   * Resolves when the agent accepted the prompt. Version 1 does not confirm a prompt: it resolves at the end of the
   * turn. Rejects with the error of the turn if the turn fails first.
   */
  readonly accepted: Promise<PromptAcceptance>;
  /**
   * The key with which the prompt is sent, also when it is sent again: yours, or a random one. An agent runs a prompt once
   * for each key. `null` in version 1, which has none, and for a prompt that was refused.
   *
   * @see https://agentclientprotocol.com/rfds/v2/idempotency-keys
   */
  readonly idempotencyKey: string | null;
}

/** Options of a prompt. */
export interface PromptOptions extends CallOptions {
  /**
   * The key that names this prompt at the agent, in version 2. To repeat a prompt whose outcome you do not know, send the
   * same content with the same key: an agent that has the prompt does not run it again. Never use a key for another
   * content or session. Not sent to an agent of version 1. Default: a random key for each prompt.
   *
   * @example
   * ```ts
   * const key = crypto.randomUUID();
   * await session.prompt('Deploy.', { idempotencyKey: key });
   * ```
   */
  readonly idempotencyKey?: string | undefined;
}

/** Checks {@link PromptOptions}. */
const PromptOptionsSchema = optionsObject({
  ...callOptionEntries,
  idempotencyKey: optional(
    v.pipe(
      v.string(),
      v.check((key) => key !== '', 'must not be empty'),
    ),
  ),
} satisfies { readonly [K in keyof Required<PromptOptions>]: v.GenericSchema });

/**
 * Checks the options of a prompt.
 *
 * @throws {@link InvalidParamsError}
 */
export function checkPromptOptions(options: PromptOptions): void {
  checkOptions('session/prompt', PromptOptionsSchema, options, 'Nothing was sent.');
}

/** A random key. `crypto.randomUUID` is not used, because a page that was loaded over http does not have it. */
export function randomKey(): string {
  return globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * The turn of a message in the queue. It begins when the message is sent as a prompt. If the message is revoked before,
 * it ends with the stop reason `cancelled`. Leaving a loop over it revokes the message, or cancels the turn.
 */
export interface QueuedPrompt extends PromptTurn {
  /** The id of the message in `conversation.pendingMessages` while it waits. `session.revoke` takes it. */
  readonly id: string;
}

/** Makes the promise of a turn iterable. */
export function promptTurn(
  settled: Promise<PromptResult>,
  accepted: Promise<PromptAcceptance>,
  follow: Follow,
  { cancel, idempotencyKey }: { readonly cancel: () => void; readonly idempotencyKey: string | null },
): PromptTurn {
  // A caller may await one of the two, or neither: an unhandled rejection would end its process.
  accepted.catch(() => {});
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  settled.then(over, over);
  const iterate = (onLeave: () => void) => () => {
    const stream: EventStream = new EventStream(() => {
      unfollow();
      if (!isOver) onLeave();
    });
    const unfollow = follow(stream);
    settled.then(
      () => stream.end({}),
      (error: unknown) => stream.end({ error }),
    );
    return stream;
  };
  const events = { [Symbol.asyncIterator]: iterate(() => {}) };
  return Object.assign(settled, {
    accepted,
    events,
    idempotencyKey,
    [Symbol.asyncIterator]: iterate(cancel),
  });
}

/** The turn of a prompt that was not sent. */
export function refusedTurn(error: unknown): PromptTurn {
  const follow = () => () => {};
  const call = { cancel: () => {}, idempotencyKey: null };
  return promptTurn(Promise.reject(error), Promise.reject(error), follow, call);
}

/** What is known of a prompt when the connection ends. */
type Acceptance = NonNullable<Extract<TurnOutcome, { readonly error: unknown }>['acceptance']>;

const acceptanceTexts: Readonly<Record<Acceptance, string>> = {
  accepted: 'The agent had accepted the prompt.',
  begun: 'The agent had started to work on the prompt.',
  unknown: 'Whether the agent had accepted the prompt is not known: there was no sign of it.',
  queued: 'The message was still in the queue: it was not sent.',
};

/** The error of a turn that the end of the connection ended, with what is known of the prompt. */
export function interruptedTurnError(error: unknown, acceptance: Acceptance): unknown {
  if (!(error instanceof ConnectionClosedError)) return error;
  return new ConnectionClosedError(`${error.message} ${acceptanceTexts[acceptance]}`, {
    method: 'session/prompt',
    exit: error.exit,
    cause: error.cause,
    promptAccepted: acceptance === 'accepted' || acceptance === 'begun',
  });
}

/** The error of a turn that the agent accepted and then reported as failed. */
export function failedTurnError({ code, message, data }: AgentFailure): AcpError {
  // A value of JSON: it was read from a message.
  return remoteError('session/prompt', code, message, data as JsonValue | undefined, {
    promptAccepted: true,
  });
}

/** The agent's error in an error of a call, if the agent answered with one. */
export function failureOf(error: unknown): AgentFailure | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  const { rpcCode, message, agentMessage, data } = error;
  // The body of an HTTP answer is the server's, and often empty or a page.
  const reason = error instanceof HttpError ? message : agentMessage;
  return { code: rpcCode, message, reason, data };
}

/** Errors with which an agent of version 1 says that it did not begin. */
const refusals: ReadonlySet<number> = new Set([
  rpcCodes.authRequired,
  rpcCodes.invalidRequest,
  rpcCodes.invalidParams,
  rpcCodes.methodNotFound,
  rpcCodes.notFound,
]);

/** Whether an agent of version 1 refused a prompt with this error, unless it has begun with the prompt. */
export function isRefusal({ code }: AgentFailure): boolean {
  return refusals.has(code);
}
