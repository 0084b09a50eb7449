import type { PromptTurn } from '../../core/client/session/turn.ts';
import { sourceOfTurn } from '../../core/client/session/turn-source.ts';
import { sentTurn, sessionSource } from '../bridges/chat-source.ts';
import { answerStream } from './answer-stream.ts';
import type { AcpChunk } from './part-chunks.ts';
import { askAll } from './tool-parts.ts';

/**
 * The chunks of a turn for AI SDK, as it happens: what `createUIMessageStreamResponse` and `readUIMessageStream` take.
 * The stream ends when the turn ends, and with a chunk of type `error` if the turn fails. Leaving it does not cancel the
 * turn. It can begin late: then it begins with all that has happened.
 *
 * What a reader builds from it is the message that {@link toUIMessages} makes of the finished conversation.
 *
 * @example
 * ```ts
 * const stream = toUIMessageStream(session.prompt('Fix the failing test.'));
 * const response = createUIMessageStreamResponse({ stream });
 * ```
 */
export function toUIMessageStream(turn: PromptTurn): ReadableStream<AcpChunk> {
  const source = sessionSource(sourceOfTurn(turn).session);
  return answerStream({ source, ...sentTurn(turn), approvalId: askAll });
}
