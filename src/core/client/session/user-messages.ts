import type { DiagnosticListener } from '../../base/diagnostic.ts';
import { type AuthRequiredError, ConnectionClosedError, RemoteError, UsageError } from '../../base/errors.ts';
import { type Deferred, deferred, withLimits } from '../../base/wait.ts';
import { steeredKeyPrefix } from '../../conversation/steered.ts';
import type { ContentBlock } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { SteerAnswer } from '../../protocol/calls.ts';
import { retryClassOf } from '../../protocol/retry-classes.ts';
import type { Caller } from '../calls/calls.ts';
import { notBackError } from '../calls/failed-call.ts';
import type { LoggedIn, SendPrepared } from '../calls/login.ts';
import { followLater, type OpenTurns, openTurn, type PromptCall } from './awaited-turns.ts';
import type { EventOf, SessionEvent } from './machine/events.ts';
import { isHeld } from './machine/held-turns.ts';
import { isUntouched } from './machine/reports.ts';
import type { SessionState, TurnRules } from './machine/state.ts';
import { lastPromptNumber, promptKeyPrefix } from './prompt-keys.ts';
import { steerAnswer } from './steering.ts';
import type { Follow } from './stream.ts';
import { failureOf, isRefusal, type PromptTurn, promptTurn, type QueuedPrompt } from './turn.ts';

/** What an event sends when it has its turn, or does without because the session is not open. */
export interface Sender {
  send(): void;
  skip(): void;
}

/** The session that the messages are for. */
interface Target {
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly senders: Map<string, Sender>;
  readonly state: SessionState;
  dispatch(event: SessionEvent): void;
}

/** What the messages need of their connection. */
export interface MessageEnvironment {
  readonly report: DiagnosticListener;
  readonly caller: Caller;
  /** What ends a turn. */
  endOfTurn(): TurnRules;
}

/** The turn of a prompt that was sent, or that will be. */
export interface StartedTurn<T extends PromptTurn> {
  readonly turn: T;
  /** The key of the prompt, or the id of the message in the queue until it is sent. */
  key(): string;
}

/** What the user says in a session: prompts, messages in the queue, and messages for the running turn. */
export class UserMessages {
  readonly #session: Target;
  readonly #turns: OpenTurns;
  readonly #environment: MessageEnvironment;
  /** The steered messages whose answers are not there yet, by their id. */
  readonly #steering = new Map<string, Deferred<SteerAnswer>>();
  /** The ids that the agent has given to messages of the user, and the keys of these messages. */
  readonly #named = new Map<string, string>();
  #promptCount = 0;
  #queueCount = 0;

  constructor(session: Target, turns: OpenTurns, environment: MessageEnvironment) {
    this.#session = session;
    this.#turns = turns;
    this.#environment = environment;
  }

  /** Does not give out the keys of prompts again that a saved conversation has. */
  skipKeysOf(conversation: Conversation): void {
    this.#promptCount = Math.max(this.#promptCount, lastPromptNumber(conversation));
  }

  /** Shows a prompt, sends it, and follows its turn. */
  prompt(content: readonly ContentBlock[], call: PromptCall): StartedTurn<PromptTurn> {
    const key = this.#nextKey(promptKeyPrefix);
    const open = openTurn(call, this.#environment.caller);
    const send = this.#sender(key, call, open.settled);
    const follow = this.#turns.begin(key, open, send);
    const turn = promptTurn(open.settled, open.accepted, follow, call);
    this.#session.dispatch({ type: 'prompt', key, content });
    return { turn, key: () => key };
  }

  /**
   * Shows a message as one that waits, and sends it as a prompt when nothing runs.
   *
   * @param id - That of a message that could not be steered, and keeps its place.
   */
  queue(
    content: readonly ContentBlock[],
    call: PromptCall,
    id = `queue:${++this.#queueCount}`,
  ): StartedTurn<QueuedPrompt> {
    const open = openTurn(call, this.#environment.caller);
    let key = id;
    const begun = new Promise<Follow>((resolve) => {
      this.#turns.wait(id, open, () => {
        key = this.#nextKey(promptKeyPrefix);
        const send = this.#sender(key, call, open.settled);
        resolve(this.#turns.begin(key, open, send));
        this.#session.dispatch({ type: 'prompt', key, content, queued: id });
      });
    });
    const cancel = () => (key === id ? this.#session.dispatch({ type: 'revoked', id }) : call.cancel());
    const { idempotencyKey } = call;
    const turn = promptTurn(open.settled, open.accepted, followLater(begun), { cancel, idempotencyKey });
    this.#session.dispatch({ type: 'queued', id, content });
    return { turn: Object.assign(turn, { id }), key: () => key };
  }

  /**
   * Shows a message as one that waits, and asks the agent to take it into the running turn. A message that the agent
   * did not take waits on: queue or revoke it.
   *
   * @param isNaming - Whether the answer names the message.
   */
  steer(content: readonly ContentBlock[], send: SendPrepared<SteerAnswer>, isNaming: boolean) {
    const id = this.#nextKey(steeredKeyPrefix);
    const answer = deferred<SteerAnswer>();
    const fail = (error: unknown) => {
      if (error instanceof RemoteError) error.promptAccepted = !isUntouched(this.#session.state, id);
      this.#session.dispatch({ type: 'revoked', id });
      answer.reject(error);
    };
    const take = (answered: SteerAnswer) => {
      const { outcome, messageId: named = null } = answered;
      const isTaken = outcome === 'injected' || outcome === 'startedNewTurn';
      // A message does not wait for a report that is about another one.
      const messageId = isTaken && named !== null && this.named(id, named) ? named : null;
      if (isTaken) this.#session.dispatch({ type: 'steer_accepted', id, messageId });
      answer.resolve(answered);
    };
    const sender = {
      send: () => void steerAnswer(send((...refused) => this.#loggedIn(id, ...refused))).then(take, fail),
      skip: () => answer.resolve({ outcome: 'promptRequired' }),
    };
    this.#session.senders.set(id, sender);
    this.#session.dispatch({ type: 'steered', id, content, isNaming });
    this.#steering.set(id, answer);
    const done = () => this.#steering.delete(id);
    answer.promise.then(done, done);
    return { id, answer: answer.promise };
  }

  /**
   * The agent gave a message an id. Two messages with one id are one entry of the conversation.
   *
   * @returns Whether no other message of the user has the id.
   */
  named(key: string, messageId: string): boolean {
    const other = this.#named.get(messageId);
    this.#named.set(messageId, key);
    if (other === undefined || other === key) return true;
    const message = `The agent gave the id ${JSON.stringify(messageId)} to two messages of the user, in the session ${JSON.stringify(this.#session.sessionId)}. What it reports under this id is one message of the conversation. This is a fault of the agent.`;
    this.#environment.report({ rule: 'protocol.duplicate_message_id', severity: 'warning', message });
    return false;
  }

  /** Resolves when the agent has answered whether it takes a steered message. */
  async answered(id: string): Promise<void> {
    await this.#steering.get(id)?.promise.catch(() => {});
  }

  /** The session is over: a message that the agent has not answered by now does not wait on. */
  end(error: unknown): void {
    for (const { reject } of this.#steering.values()) reject(error);
  }

  #nextKey(prefix: string): string {
    return `${prefix}${++this.#promptCount}`;
  }

  /** Returns what sends a prompt, now and again. */
  #sender(key: string, call: PromptCall, settled: Promise<unknown>): () => void {
    let isRepeated = call.hasOwnKey;
    return () => {
      const before = isRepeated ? this.#session.conversation : undefined;
      isRepeated = true;
      let refusal: AuthRequiredError | undefined;
      const loggedIn: LoggedIn = async (refused, login) => {
        refusal = refused;
        await this.#loggedIn(key, refused, login);
        refusal = undefined;
      };
      call.send(loggedIn).then(
        (answer) => {
          const known = before && knownMessage(before, answer.messageId);
          // The program sent its key again: the agent names one message for both.
          if (known && answer.messageId !== undefined) this.#named.set(answer.messageId, key);
          this.#session.dispatch({ type: 'prompt_answered', key, answer, ...(known && { known }) });
        },
        (error: unknown) => {
          if (error instanceof ConnectionClosedError && isHeld(this.#session.state, key))
            this.#limitHeld(key, call, settled);
          else this.#failed(key, error, refusal ?? error);
        },
      );
    };
  }

  /** The limit of a prompt holds while the agent is started again. */
  #limitHeld(key: string, { remainingMs }: PromptCall, settled: Promise<unknown>): void {
    const timeoutMs = remainingMs();
    const onLimit = () => {
      if (!isHeld(this.#session.state, key)) return;
      const { name } = this.#environment.caller.link.dialect;
      const retry = retryClassOf('session/prompt', name);
      const error = notBackError('session/prompt', timeoutMs ?? 0, retry);
      this.#session.dispatch({ type: 'prompt_failed', key, error, failure: undefined, isKept: true });
    };
    withLimits(settled, { timeoutMs, onLimit }).catch(() => {});
  }

  /** A message with which the agent has begun is not sent again. The user logs in all the same, for the next one. */
  async #loggedIn(key: string, refusal: AuthRequiredError, login: Promise<void>): Promise<void> {
    const failed = await login.catch((reason: unknown) => ({ reason }));
    if (!isUntouched(this.#session.state, key)) throw refusal;
    if (failed) throw failed.reason;
  }

  /** @param answer - The error that the agent answered with, if it did. A login that failed afterwards is another one. */
  #failed(key: string, error: unknown, answer: unknown): void {
    const failed = promptFailed(this.#session.state, this.#environment.endOfTurn(), { key, error, answer });
    if (error instanceof RemoteError) error.promptAccepted = failed.isKept;
    this.#session.dispatch(failed);
  }
}

/**
 * What the failure of a prompt means for its session.
 *
 * @param failed - `answer`: the error that the agent answered with, if it did.
 */
export function promptFailed(
  state: SessionState,
  rules: TurnRules,
  { key, error, answer }: { readonly key: string; readonly error: unknown; readonly answer: unknown },
): EventOf<'prompt_failed'> {
  // The end of the connection has ended the turn before, and said more about it.
  const failure = failureOf(answer);
  // A call that was not sent leaves nothing behind; of an answer that could not be read the prompt is known.
  const isRefused = failure ? rules !== 'response' || isRefusal(failure) : error instanceof UsageError;
  const isKept = !(isRefused && isUntouched(state, key));
  return { type: 'prompt_failed', key, error, failure, isKept };
}

/** Whether a conversation has the message of the user that an answer names, and something behind it. */
export function knownMessage({ entries }: Conversation, messageId: string | undefined) {
  const place = entries.findIndex(
    (entry) => entry.kind === 'message' && entry.role === 'user' && entry.messageId === messageId,
  );
  if (place === -1) return undefined;
  return place < entries.length - 1 ? 'answered' : 'unanswered';
}
