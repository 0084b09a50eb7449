import { ConnectionStateError } from '../../base/errors.ts';
import { someMember } from '../../base/json.ts';
import { type ConversationChange, replayEvents } from '../../conversation/replay-events.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { ConversationEvent } from '../../model/event.ts';
import { isOwnPrompt } from './prompt-keys.ts';
import type { EventStream } from './stream.ts';

/** How many changes of a turn are kept for loops that begin later. */
export const maxKeptChanges = 10_000;
/** How many characters of text the kept changes have at most. */
export const maxKeptCharacters = 8 * 1024 * 1024;

/** What happens: a change of the conversation, or an event that changes nothing in it. */
export type Happening = ConversationChange | { readonly event: ConversationEvent };

/**
 * The events of one turn. Changes are kept as they are until a loop begins: a program that reads the conversation and
 * not the events pays for no event.
 */
export class TurnEvents {
  readonly #start: Conversation;
  readonly #streams = new Set<EventStream>();
  /** `undefined` once there were more than the limit. */
  #kept: Happening[] | undefined = [];
  #characters = 0;

  /** @param start - The conversation at the start of the turn. */
  constructor(start: Conversation) {
    this.#start = start;
  }

  /** Keeps what happens for loops that begin later. */
  keep(happening: Happening): void {
    if (!this.#kept) return;
    if ('update' in happening) this.#characters += characters(happening.update);
    this.#kept.push(happening);
    if (this.#kept.length > maxKeptChanges || this.#characters > maxKeptCharacters) this.#kept = undefined;
  }

  /** Passes an event to the loops that run. */
  push(event: ConversationEvent): void {
    for (const stream of this.#streams) stream.push(event);
  }

  /** Passes the events of the turn to a loop over it, from the first one on. Returns the function that ends this. */
  follow(stream: EventStream): () => void {
    if (!this.#kept) {
      const message =
        'The loop over the turn began too late: more events came than are kept. Begin it when you call prompt, or read session.conversation.';
      stream.end({ error: new ConnectionStateError(message, { method: 'session/prompt' }) });
      return () => {};
    }
    replayEvents(this.#start, this.#kept, (event) => {
      if (!isOwnPrompt(event)) stream.push(event);
    });
    this.#streams.add(stream);
    return () => {
      this.#streams.delete(stream);
    };
  }
}

/** About how many characters a value has: those of its texts, and some for each member. */
function characters(value: object): number {
  let sum = 0;
  const open: object[] = [value];
  for (let container = open.pop(); container; container = open.pop()) {
    someMember(container, (member) => {
      sum += typeof member === 'string' ? member.length : 8;
      if (typeof member === 'object' && member !== null) open.push(member);
      return false;
    });
  }
  return sum;
}
