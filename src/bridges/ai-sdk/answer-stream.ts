import { AnswerWriter, type Shown } from './answer-writer.ts';
import type { AcpChunk } from './part-chunks.ts';

/** How an answer ends. */
export interface AnswerEnd {
  /** Whether the user has to answer a request first. The stream then ends, and the answer begins another one. */
  isPaused(): boolean;
  /** Called when the reader has all of the turn. */
  delivered(): void;
}

type Controller = ReadableStreamDefaultController<AcpChunk>;
type Finish = NonNullable<Extract<AcpChunk, { type: 'finish' }>['finishReason']>;

const finishReasons: ReadonlyMap<string | null, Finish> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['refusal', 'content-filter'],
  // A chat does not go on by itself after this.
  ['cancelled', 'interrupted'],
]);

/**
 * The chunks of an answer. Apart from texts, what changes while the reader is busy is sent as one change. Leaving the
 * stream does not end the turn.
 */
export function answerStream(shown: Shown, end: AnswerEnd): ReadableStream<AcpChunk> {
  return new ReadableStream(new AnswerSource(shown, end));
}

/** What fills the stream. */
class AnswerSource {
  readonly #shown: Shown;
  readonly #end: AnswerEnd;
  readonly #writer: AnswerWriter;
  #controller: Controller | undefined;
  #unsubscribe = () => {};
  #isScheduled = false;

  constructor(shown: Shown, end: AnswerEnd) {
    this.#shown = shown;
    this.#end = end;
    this.#writer = new AnswerWriter(shown, (chunk) => this.#controller?.enqueue(chunk));
  }

  start(controller: Controller): void {
    this.#controller = controller;
    this.#unsubscribe = this.#shown.source.subscribe((event) => {
      this.#writer.change(event);
      if ((controller.desiredSize ?? 0) > 0 || this.#end.isPaused()) this.pull();
    });
    this.#shown.ended.then(
      ({ stopReason }) => {
        this.#finish(finishReasons.get(stopReason) ?? 'other');
      },
      (error: unknown) => {
        const errorText = error instanceof Error ? error.message : String(error);
        this.#finish('error', [{ type: 'error', errorText }]);
      },
    );
  }

  /** The events of one update come together, and the conversation has all of them: it is read after the last one. */
  pull(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#show();
    });
  }

  cancel(): void {
    this.#controller = undefined;
    this.#unsubscribe();
  }

  #show(): void {
    if (!this.#controller) return;
    if (this.#end.isPaused()) {
      this.#writer.finish();
      this.#close([{ type: 'finish', finishReason: 'tool-calls' }]);
    } else this.#writer.show();
  }

  #finish(finishReason: Finish, last: readonly AcpChunk[] = []): void {
    if (!this.#controller) return;
    const messageMetadata = this.#writer.finish();
    this.#end.delivered();
    this.#close([{ type: 'finish', finishReason, ...(messageMetadata && { messageMetadata }) }, ...last]);
  }

  #close(last: readonly AcpChunk[]): void {
    for (const chunk of last) this.#controller?.enqueue(chunk);
    this.#controller?.close();
    this.cancel();
  }
}
