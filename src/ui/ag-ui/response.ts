import type { AGUIEvent, RunAgentInput } from '@ag-ui/client';
import { isJsonObject } from '../../core/base/json.ts';
import { isQuestion } from '../../core/conversation/steered.ts';
import { answerAll, choicesOf } from '../bridges/chat-answers.ts';
import { type ChatSession, type ChatSource, chatSource, followTurn, isIdle } from '../bridges/chat-source.ts';
import { runFailed, runStarted } from './events.ts';
import { FollowedTurn } from './followed-turn.ts';
import { chatAnswer } from './interrupts.ts';
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
 * reaches. The body of the request is the input of the run. A request that is no run gets the status 400 and a sentence.
 *
 * - A new message of the user is sent as a prompt when nothing runs, also one that comes with an answer. Without a new
 *   one, the run shows the turn that runs, for example after the page was loaded again. If the page has the messages of
 *   {@link toAgUiMessages}, the run begins with all of them as they are now, also when the turn has ended.
 * - When the agent asks for a permission, the run ends with an interrupt, whose metadata has all options. The next run
 *   answers it with `resume` and `payload: { optionId }`. A plain yes or no means this once, and never always. If a run
 *   fails because of what it sent, none of its answers counts.
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
  const input: unknown = await request.json().catch(() => undefined);
  if (!isRunInput(input)) {
    const text =
      'This address takes runs of AG-UI: a POST with JSON that has threadId, runId and messages. Nothing was sent. Use HttpAgent of @ag-ui/client.';
    return new Response(text, { status: 400 });
  }
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

/** Checks what is needed. AG-UI's own client sends nothing else, and another program can send anything. */
function isRunInput(input: unknown): input is RunAgentInput {
  if (!isJsonObject(input)) return false;
  const { threadId, runId, messages, resume } = input;
  if (typeof threadId !== 'string' || typeof runId !== 'string') return false;
  return isListWith(messages, 'id') && (resume == null || isListWith(resume, 'interruptId'));
}

function isListWith(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.every((item) => isJsonObject(item) && typeof item[name] === 'string');
}

async function* runEvents(
  session: ChatSession,
  input: RunAgentInput,
): AsyncGenerator<AGUIEvent, void, undefined> {
  const { threadId, runId } = input;
  const run = { threadId, runId };
  const source = chatSource(session);
  let turn: FollowedTurn;
  try {
    turn = await turnOf(session, source, input);
    paused.delete(session);
  } catch (error) {
    yield runStarted(run);
    yield runFailed(error);
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

/** The turn that a run is about: the one that its message begins, the one that runs, or the one that ran last. */
async function turnOf(
  session: ChatSession,
  source: ChatSource,
  { messages, resume: given }: RunAgentInput,
): Promise<FollowedTurn> {
  const answers = given ?? [];
  const choices = choicesOf(source, answers.map(chatAnswer));
  const waiting = paused.get(session);
  const isOver = waiting === undefined && isIdle(source);
  const last = messages.at(-1);
  const entries = source.conversation()?.entries ?? [];
  const isSent =
    last?.id === entries.findLast(isQuestion)?.key ||
    ((!isOver || answers.length > 0) && last?.id === sentMessages.get(session));
  if (last?.role !== 'user' || isSent) {
    await answerAll(source, choices);
    const keys = new Set(entries.map(({ key }) => key));
    // Messages of this library, and not those of the page that has read the turn so far.
    const isLoaded = messages.every(({ role, id }) => role !== 'user' || keys.has(id));
    if (waiting && (answers.length > 0 || !isLoaded)) return waiting;
    waiting?.stop();
    const turn = new FollowedTurn(source, messages);
    return (isLoaded ? turn.beginAnew() : turn).endsWith(followTurn(source));
  }
  if (source.questions().some(({ id }) => !choices.has(id))) {
    throw new Error(
      'The agent waits for an answer. Nothing was sent. Answer with resume, or cancel the turn.',
    );
  }
  const content = promptOf(last);
  await answerAll(source, choices);
  sentMessages.set(session, last.id);
  // The reader does not have the end of the turn that waited.
  const turn = waiting?.goOn(last) ?? new FollowedTurn(source, messages);
  return turn.endsWith(source.send(content, undefined).ended);
}
