import type { PromptTurn } from '../../core/client/session/turn.ts';
import { sourceOfTurn } from '../../core/client/session/turn-source.ts';
import { sentTurn, sessionSource } from '../bridges/chat-source.ts';
import { answerWriter, type Shown } from './answer-writer.ts';
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

type Finish = NonNullable<Extract<AcpChunk, { type: 'finish' }>['finishReason']>;

const finishReasons: ReadonlyMap<string | null, Finish> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['refusal', 'content-filter'],
  // A chat does not go on by itself after this.
  ['cancelled', 'interrupted'],
]);

/**
 * The chunks of an answer. What changes while the reader is busy is sent as one change. Leaving the stream does not end
 * the turn.
 *
 * @param isPaused - Whether the user has to answer a request first. The stream then ends, and the answer begins another
 *   one. Omitted: the stream shows the whole turn, also while the user has to answer.
 */
export function answerStream(shown: Shown, isPaused = () => false): ReadableStream<AcpChunk> {
  let controller: ReadableStreamDefaultController<AcpChunk> | undefined;
  let unsubscribe = () => {};
  let isScheduled = false;
  /** The end of a text, which the reader does not have yet. More of the text is part of the same chunk. */
  let held: Extract<AcpChunk, { delta: string }> | undefined;

  const flush = () => {
    if (held) controller?.enqueue(held);
    held = undefined;
  };
  const take = (chunk: AcpChunk) => {
    if ('delta' in chunk && held?.id === chunk.id) held.delta += chunk.delta;
    else {
      flush();
      if ('delta' in chunk) held = chunk;
      else controller?.enqueue(chunk);
    }
  };
  const writer = answerWriter(shown, take);

  /** The events of one update come together, and the conversation has all of them: it is read after the last one. */
  const pull = () => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      if (!controller) return;
      if (!isPaused()) {
        writer.show();
        flush();
      } else {
        writer.finish();
        close([{ type: 'finish', finishReason: 'tool-calls' }]);
      }
    });
  };
  const cancel = () => {
    controller = undefined;
    unsubscribe();
  };
  const close = (last: readonly AcpChunk[]) => {
    last.forEach(take);
    controller?.close();
    cancel();
  };
  const finish = (finishReason: Finish, last: readonly AcpChunk[] = []) => {
    if (!controller) return;
    const messageMetadata = writer.finish();
    close([{ type: 'finish', finishReason, ...(messageMetadata && { messageMetadata }) }, ...last]);
  };

  return new ReadableStream({
    start(opened) {
      controller = opened;
      unsubscribe = shown.source.subscribe((event) => {
        writer.change(event);
        if ((opened.desiredSize ?? 0) > 0 || isPaused()) pull();
      });
      shown.ended.then(
        ({ stopReason }) => finish(finishReasons.get(stopReason) ?? 'other'),
        // A turn rejects with errors only.
        ({ message: errorText }: Error) => finish('error', [{ type: 'error', errorText }]),
      );
    },
    pull,
    cancel,
  });
}
