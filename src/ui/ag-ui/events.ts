import type { AGUIEvent, Interrupt, Message, TokenUsage } from '@ag-ui/client';
import { errorMessage } from '../../core/base/diagnostic.ts';
import type { PromptResult, PromptTurn } from '../../core/client/session/turn.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import { event } from './event.ts';
import { TurnWriter } from './turn-writer.ts';

/** What a run of AG-UI has besides the turn of ACP. */
export interface AgUiRunOptions {
  /** Default: `acp`. */
  readonly threadId?: string | undefined;
  /** Default: a new UUID. */
  readonly runId?: string | undefined;
  /**
   * The messages that the reader has, such as `messages` of its input. Default: none. A text that the agent replaces is
   * shown by a snapshot, which has them.
   */
  readonly messages?: readonly Message[] | undefined;
  /** The conversation when the turn begins. With it, the run begins with the state. */
  readonly conversation?: Conversation | undefined;
}

/**
 * The events of a turn for AG-UI: one run, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`. A reader that applies
 * them has the messages that {@link toAgUiMessages} makes of the conversation after the turn.
 *
 * The prompt itself is not an event: the reader has it. A question of the agent is in the activity message of its tool
 * call, and the handler `requestPermission` answers it. {@link acpAgent} makes it an interrupt. A turn that fails ends
 * with `RUN_ERROR`, and the loop does not throw. Leaving the loop early cancels the turn.
 *
 * @param turn - A turn of `session.prompt`, or events that were kept.
 * @example
 * ```ts
 * for await (const event of toAgUiEvents(session.prompt(text), { threadId, runId })) {
 *   response.write(`data: ${JSON.stringify(event)}\n\n`);
 * }
 * ```
 * @see https://docs.ag-ui.com/concepts/events
 */
export async function* toAgUiEvents(
  turn: PromptTurn | AsyncIterable<ConversationEvent>,
  {
    threadId = 'acp',
    runId = globalThis.crypto.randomUUID(),
    messages = [],
    conversation,
  }: AgUiRunOptions = {},
): AsyncGenerator<AGUIEvent, void, undefined> {
  const run = { threadId, runId };
  const writer = new TurnWriter(messages, conversation);
  yield runStarted(run);
  yield* writer.begin();
  let end: AGUIEvent;
  try {
    for await (const happened of turn) yield* writer.take(happened);
    end = runFinished(run, 'then' in turn ? await turn : undefined);
  } catch (error) {
    end = runFailed(error);
  }
  yield* writer.finish();
  yield end;
}

/** The ids of a run. */
export interface Run {
  readonly threadId: string;
  readonly runId: string;
}

export function runStarted(run: Run): AGUIEvent {
  return event({ type: 'RUN_STARTED', ...run, protocolVersion: '1.0' });
}

/** @param result - `undefined` if it is not known how the turn ended. */
export function runFinished(
  run: Run,
  result: Pick<PromptResult, 'stopReason' | 'usage'> | undefined,
): AGUIEvent {
  const { stopReason = null } = result ?? {};
  return event({
    type: 'RUN_FINISHED',
    ...run,
    outcome: { type: stopReason === 'cancelled' ? 'cancelled' : 'success' },
    ...(stopReason !== null && stopReason !== 'cancelled' && { result: { stopReason } }),
    ...(result?.usage && { usage: [tokenUsage(result.usage)] }),
  });
}

/** The turn goes on when the user has answered. */
export function runInterrupted(run: Run, interrupts: readonly Interrupt[]): AGUIEvent {
  return event({ type: 'RUN_FINISHED', ...run, outcome: { type: 'interrupt', interrupts: [...interrupts] } });
}

export function runFailed(error: unknown): AGUIEvent {
  // An error of this library, or of Node.
  const code = error instanceof Error && 'code' in error ? { code: String(error.code) } : {};
  return event({ type: 'RUN_ERROR', message: errorMessage(error), ...code });
}

/** The numbers that the agent reported, as it counts them. */
function tokenUsage(usage: NonNullable<PromptResult['usage']>): TokenUsage {
  const counts = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
    reasoningTokens: usage.thoughtTokens,
    cachedInputTokens: usage.cachedReadTokens,
    cacheWriteInputTokens: usage.cachedWriteTokens,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count != null));
}
