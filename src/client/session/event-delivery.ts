import { eventObserver } from '../../conversation/events.ts';
import type { SessionStore } from '../../conversation/store.ts';
import { ListenerSet } from '../../listeners.ts';
import type { ConversationEvent } from '../../model/event.ts';
import { promptKeyPrefix } from './prompt-keys.ts';
import type { EventStream } from './stream.ts';

/** Delivers the events of a session: to the loops over the open turns or, without an open turn, to the listeners. */
export class EventDelivery {
  readonly #store: SessionStore;
  readonly #listeners: ListenerSet<[ConversationEvent]>;
  /** The loops over each open turn. */
  readonly #open = new Map<string, Set<EventStream>>();
  /** The loops over the turns that ended since events were delivered last. These events still belong to them. */
  #ending: Set<EventStream>[] = [];
  /** What happened since events were delivered last. `undefined` until there is a loop or a listener. */
  #happened: ConversationEvent[] | undefined;

  /** @param onListenerError - Takes what a listener throws. */
  constructor(store: SessionStore, onListenerError: (error: unknown) => void) {
    this.#store = store;
    this.#listeners = new ListenerSet(onListenerError);
  }

  /** Calls the listener with what happens while no turn is open. Returns the function that removes it. */
  listen(listener: (event: ConversationEvent) => void): () => void {
    this.#observe();
    return this.#listeners.add(listener);
  }

  /** A turn begins. */
  beginTurn(key: string): void {
    this.#open.set(key, new Set());
  }

  /** A turn ends. What happened until now is still delivered to the loops over it. */
  endTurn(key: string): void {
    const streams = this.#open.get(key);
    if (streams) this.#ending.push(streams);
    this.#open.delete(key);
  }

  /** Passes what happens while a turn is open to a loop over it. Returns the function that ends this. */
  follow(key: string, stream: EventStream): () => void {
    const streams = this.#open.get(key);
    this.#observe();
    streams?.add(stream);
    return () => {
      streams?.delete(stream);
    };
  }

  /** Adds an event that is no change of the conversation. */
  add(event: ConversationEvent): void {
    this.#happened?.push(event);
  }

  /** Delivers what happened. This runs for each update, and most sessions have neither a loop nor a listener. */
  deliver(): void {
    const ending = this.#ending;
    if (ending.length > 0) this.#ending = [];
    const events = this.#happened;
    if (events === undefined || events.length === 0) return;
    this.#happened = [];
    const turns = [...this.#open.values(), ...ending];
    for (const event of events) {
      if (turns.length === 0) this.#listeners.notify(event);
      for (const streams of turns) for (const stream of streams) stream.push(event);
    }
  }

  #observe(): void {
    if (this.#happened) return;
    this.#happened = [];
    const take = (event: ConversationEvent) => {
      if (!isOwnPrompt(event)) this.#happened?.push(event);
    };
    this.#store.observe(eventObserver(take));
  }
}

/** Whether an event is about a prompt of the user, who knows it. The agent's echo of it is in the same entry. */
function isOwnPrompt(event: ConversationEvent): boolean {
  const key = event.type === 'messageReplaced' ? event.message.key : 'key' in event ? event.key : '';
  return key.startsWith(promptKeyPrefix);
}
