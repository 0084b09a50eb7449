import { errorMessage } from '../../core/base/diagnostic.ts';
import { delay, withLimits } from '../../core/base/wait.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import { noAnswer } from '../../records/testing/script.ts';
import { type OpenSession, textIn } from './open-session.ts';
import type { Prompt } from './params.ts';
import { type Act, answerSteered, replyTo, type Turn, titleOf } from './replies.ts';
import { infoUpdates } from './updates.ts';

/** The turns of a session. One runs at a time, and the next ones wait. */
export class Turns {
  readonly session: OpenSession;
  readonly #cancels = new Map<string | number, AbortController>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: OpenSession) {
    this.session = session;
  }

  /** Runs a turn after the earlier ones. Resolves to the answer to the request `id`. */
  prompt(given: Prompt, id: string | number): Promise<unknown> {
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    const begin = () => run(this.session, given, id, cancel.signal);
    const answer = withLimits(this.#last, cancel)
      .then(begin, begin)
      .finally(() => this.#cancels.delete(id));
    this.#last = Promise.allSettled([this.#last, answer]);
    return answer;
  }

  /** Cancels the turn of a request. */
  cancel(id: string | number): void {
    this.#cancels.get(id)?.abort();
  }

  cancelAll(): void {
    for (const cancel of this.#cancels.values()) cancel.abort();
  }

  /** Cancels all turns, and resolves when they have ended. */
  async close(): Promise<void> {
    this.session.closed.resolve();
    this.cancelAll();
    await this.#last;
  }
}

async function run(
  session: OpenSession,
  { prompt, idempotencyKey: key }: Prompt,
  id: string | number,
  signal: AbortSignal,
) {
  const { data, connection } = session;
  // In version 2 the answer to a prompt accepts it. In version 1 it ends the turn.
  const acceptsFirst = connection.dialect.protocolVersion === 2;
  const [, messageId] = data.keys.find(([known]) => known === key) ?? [];
  if (messageId !== undefined) return { messageId };
  const text = textIn(prompt);
  const { before, acts } = replyTo(text);
  const turn = { session, prompt: text, signal };
  await before?.(turn);
  if (signal.aborted) {
    if (acceptsFirst) throw new RequestError(-32800, 'The request was cancelled.');
    return { stopReason: 'cancelled' };
  }
  session.addUser(prompt, (messageId) => {
    if (key != null) data.keys.push([key, messageId]);
    session.save();
    if (acceptsFirst) connection.agent.answer(id, { messageId });
  });
  session.setState('running');
  const end = await perform(acts, turn);
  session.steered.length = 0;
  data.title ??= titleOf(text);
  data.updatedAt = new Date(Date.parse(data.updatedAt) + 60_000).toISOString();
  session.save();
  session.send(...infoUpdates(data));
  session.setState('idle', end);
  if (acceptsFirst) return noAnswer;
  if (end.error) throw new RequestError(end.error.code, end.error.message);
  return end;
}

/** Resolves to how the turn ended. */
async function perform(acts: readonly Act[], turn: Turn) {
  const { signal } = turn;
  try {
    for (const act of acts) {
      await act(turn);
      // Lets a cancellation arrive.
      await delay(0);
      signal.throwIfAborted();
    }
    answerSteered(turn);
    return { stopReason: 'end_turn' };
  } catch (error) {
    if (signal.aborted) return { stopReason: 'cancelled' };
    return { stopReason: 'error', error: { code: -32603, message: errorMessage(error) } };
  }
}
