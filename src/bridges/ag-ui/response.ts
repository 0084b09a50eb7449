import type { AGUIEvent, RunAgentInput } from '@ag-ui/client';
import { isQuestion } from '../../conversation/steered.ts';
import { type ChatSession, type ChatSource, chatSource } from '../chat-source.ts';
import { followTurn, isIdle } from '../follow-turn.ts';
import { runFailed, runFinished, runStarted } from './events.ts';
import { FollowedTurn } from './followed-turn.ts';
import { resume } from './interrupts.ts';
import { promptOf } from './prompt.ts';

/** Options of {@link agUiResponse}. */
export interface AgUiResponseOptions {
  /**
   * What it means that the reader leaves before the end: that the user stops the turn, or that the page is loaded again.
   * HTTP does not tell one from the other. Default: `cancel`.
   */
  readonly onLeave?: 'cancel' | 'continue' | undefined;
}

/** The turns that wait for an answer of the user, between two runs. */
const paused = new WeakMap<ChatSession, FollowedTurn>();

/** The ids of the messages that were sent last. A page that was loaded anew can still have its message as the last one. */
const sentMessages = new WeakMap<ChatSession, string>();

/**
 * Answers a run of AG-UI with a session, as a stream of server-sent events: the handler of HTTP that AG-UI's `HttpAgent`
 * reaches. The body of the request is the input of the run.
 *
 * - A new message of the user is sent as a prompt when nothing runs, also one that comes with an answer. Without a new
 *   one, the run shows the turn that runs, for example after the page was loaded again. If the page has the messages of
 *   {@link toAgUiMessages}, the run begins with all of them as they are now.
 * - When the agent asks for a permission, the run ends with an interrupt, whose metadata has all options. The next run
 *   answers it with `resume` and `payload: { optionId }`. A plain yes or no means this once, and never always.
 * - The agent owns its history: it gets the new message only. Tools, context and state of the input are not sent.
 *
 * @example
 * ```ts
 * const response = await agUiResponse(session, request);
 * ```
 * @see https://docs.ag-ui.com/concepts/architecture
 */
export async function agUiResponse(
  session: ChatSession,
  request: Request,
  { onLeave = 'cancel' }: AgUiResponseOptions = {},
): Promise<Response> {
  // Checked by AG-UI's client before it is sent. What is missing is the error of the run.
  const input = (await request.json()) as RunAgentInput;
  const leave = async () => {
    if (onLeave === 'cancel') await session.cancel().catch(() => {});
  };
  request.signal.addEventListener('abort', leave);
  // The stream holds the request: Node does not abort the signal of a request that is garbage.
  const stopListening = () => request.signal.removeEventListener('abort', leave);
  const events = runEvents(session, input);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await events.next();
      if (!next.done) controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`));
      else {
        stopListening();
        controller.close();
      }
    },
    async cancel() {
      stopListening();
      await leave();
      await events.return();
    },
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
  return new Response(body, { headers });
}

async function* runEvents(
  session: ChatSession,
  input: RunAgentInput,
): AsyncGenerator<AGUIEvent, void, undefined> {
  const { threadId, runId } = input;
  const run = { threadId, runId };
  const source = chatSource(session);
  let turn: FollowedTurn | undefined;
  try {
    turn = await turnOf(session, source, input);
  } catch (error) {
    yield runStarted(run);
    yield runFailed(error);
    return;
  }
  if (!turn) {
    yield runStarted(run);
    yield runFinished(run, undefined);
    return;
  }
  let isRead = false;
  try {
    yield* turn.run(run);
    isRead = true;
  } finally {
    if (isRead && !turn.isOver) paused.set(session, turn);
    else turn.stop();
  }
}

/** The turn that a run is about. `undefined` if nothing runs and there is nothing to send. */
async function turnOf(
  session: ChatSession,
  source: ChatSource,
  { messages, resume: given }: RunAgentInput,
): Promise<FollowedTurn | undefined> {
  const answers = given ?? [];
  await resume(source, answers);
  const waiting = paused.get(session);
  const isOver = waiting === undefined && isIdle(source);
  const last = messages.at(-1);
  const entries = source.conversation()?.entries ?? [];
  const isSent =
    last?.id === entries.findLast(isQuestion)?.key ||
    ((!isOver || answers.length > 0) && last?.id === sentMessages.get(session));
  if (last?.role !== 'user' || isSent) {
    paused.delete(session);
    const keys = new Set(entries.map(({ key }) => key));
    // Messages of this library, and not those of the page that has read the turn so far.
    const isLoaded = messages.every(({ role, id }) => role !== 'user' || keys.has(id));
    if (waiting && (answers.length > 0 || !isLoaded)) return waiting;
    waiting?.stop();
    if (isOver) return undefined;
    const turn = new FollowedTurn(source, messages);
    return (isLoaded ? turn.beginAnew() : turn).endsWith(followTurn(source));
  }
  if (source.questions().length > 0) {
    throw new Error(
      'The agent waits for an answer. Nothing was sent. Answer with resume, or cancel the turn.',
    );
  }
  const content = promptOf(last);
  paused.delete(session);
  sentMessages.set(session, last.id);
  // The reader does not have the end of the turn that waited.
  const turn = waiting?.goOn(last) ?? new FollowedTurn(source, messages);
  return turn.endsWith(source.send(content, undefined).ended);
}
