import type { AGUIEvent, Message } from '@ag-ui/client';
import { isPrompt } from '../../core/client/session/prompt-keys.ts';
import type { PromptResult } from '../../core/client/session/turn.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import type { ChatSource } from '../bridges/chat-source.ts';
import { eventsBetween } from '../bridges/conversation-events.ts';
import { type Run, runFailed, runFinished, runInterrupted, runStarted } from './events.ts';
import { interruptOf } from './interrupts.ts';
import { TurnWriter } from './turn-writer.ts';

/** How a turn ended. */
type End = { readonly result: Pick<PromptResult, 'stopReason' | 'usage'> } | { readonly error: unknown };

/**
 * A turn as its runs show it. A question of the agent ends a run, and the next run goes on with the turn. Events that
 * happen between two runs wait for the next one.
 */
export class FollowedTurn {
  readonly #source: ChatSource;
  readonly #writer: TurnWriter;
  #waiting: ConversationEvent[] = [];
  /** Whether the source reports events. A page has snapshots only. */
  #hasEvents = false;
  /** The conversation that the events so far led to, where no events come. */
  #seen: Conversation | null;
  /** What the next run begins with. */
  #beginning: readonly AGUIEvent[];
  #ended: Promise<unknown> | undefined;
  #end: End | undefined;
  #wake = () => {};
  readonly #unsubscribe: () => void;
  /** Whether the turn has ended, and a run has said so. */
  isOver = false;

  /** @param messages - The messages that the reader has. */
  constructor(source: ChatSource, messages: readonly Message[]) {
    this.#source = source;
    this.#seen = source.conversation();
    this.#writer = new TurnWriter(messages, this.#seen ?? undefined);
    this.#beginning = this.#writer.begin();
    this.#unsubscribe = source.subscribe((event) => this.#take(event));
  }

  /** Lets the first run begin with all messages: the reader may have missed something. */
  beginAnew(): this {
    if (this.#seen) this.#beginning = this.#writer.beginAnew(this.#seen);
    return this;
  }

  /** Takes a further message of the user, which the reader has. The turn that answers it is part of this one. */
  goOn(message: Message): this {
    this.#writer.takeOwn(message);
    return this;
  }

  /** Takes the end of the turn. It takes the place of an earlier one. */
  endsWith(ended: Promise<Pick<PromptResult, 'stopReason' | 'usage'>>): this {
    this.#ended = ended;
    this.#end = undefined;
    ended.then(
      (result) => this.#finish(ended, { result }),
      (error: unknown) => this.#finish(ended, { error }),
    );
    return this;
  }

  /** The events of a run: until the turn ends, or the agent asks. */
  async *run(run: Run): AsyncGenerator<AGUIEvent, void, undefined> {
    yield runStarted(run);
    yield* this.#beginning;
    for (;;) {
      // What happens while the reader works waits for the next round.
      const happened = this.#waiting;
      this.#waiting = [];
      for (const event of happened) yield* this.#writer.take(event);
      if (this.#waiting.length > 0) continue;
      if (this.#end && this.#isComplete(this.#end)) {
        this.isOver = true;
        this.#unsubscribe();
        yield* this.#writer.finish();
        yield 'error' in this.#end ? runFailed(this.#end.error) : runFinished(run, this.#end.result);
        return;
      }
      const interrupts = this.#source.questions().map(interruptOf);
      if (interrupts.length > 0) {
        yield* this.#writer.pause();
        this.#beginning = this.#writer.begin();
        yield runInterrupted(run, interrupts);
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(event: ConversationEvent | undefined): void {
    if (event) {
      this.#hasEvents = true;
      // The reader has the prompt.
      if (!isPrompt(event)) this.#waiting.push(event);
    } else if (!this.#hasEvents) this.#compare();
    this.#wake();
  }

  /** A page has snapshots, and no events. */
  #compare(): void {
    const now = this.#source.conversation();
    const events = this.#seen && now ? eventsBetween(this.#seen, now) : [];
    this.#waiting.push(...events.filter((event) => !isPrompt(event)));
    this.#seen = now;
  }

  #finish(ended: Promise<unknown>, end: End): void {
    if (ended !== this.#ended) return;
    this.#end = end;
    // A page calls its listeners once in a frame, and a turn can end before.
    if (!this.#hasEvents) this.#compare();
    this.#wake();
  }

  /** Whether all of the turn is there. In a page, the end can come before the last change of the conversation. */
  #isComplete(end: End): boolean {
    return this.#hasEvents || 'error' in end || (this.#seen?.activity.state ?? 'idle') === 'idle';
  }

  /** Takes no more events. */
  stop(): void {
    this.#unsubscribe();
    this.#wake();
  }
}
