import { ListenerSet } from '../../base/listeners.ts';
import { eventObserver } from '../../conversation/events.ts';
import type { SessionStore } from '../../conversation/store.ts';
import type { ConversationEvent } from '../../model/event.ts';
import { isOwnPrompt } from './prompt-keys.ts';
import type { SessionEventOptions } from './session.ts';
import type { Follow } from './stream.ts';
import { type Happening, TurnEvents } from './turn-events.ts';

/** When a listener is called: with each event, or with the events outside of turns. */
export type EventTime = NonNullable<SessionEventOptions['during']>;

/** Delivers the events of a session: to the loops over its turns, and to the listeners. */
export class EventDelivery {
  readonly #store: SessionStore;
  readonly #listeners: Readonly<Record<EventTime, ListenerSet<[ConversationEvent]>>>;
  readonly #open = new Map<string, TurnEvents>();
  /** The turns that ended since events were delivered last. These events still belong to them. */
  #ending: TurnEvents[] = [];
  /** The events since they were delivered last. `undefined` until there is a loop or a listener. */
  #happened: ConversationEvent[] | undefined;

  /** @param onListenerError - Takes what a listener throws. */
  constructor(store: SessionStore, onListenerError: (error: unknown) => void) {
    this.#store = store;
    this.#listeners = { always: new ListenerSet(onListenerError), idle: new ListenerSet(onListenerError) };
  }

  /** Calls the listener with what happens. Returns the function that removes it. */
  listen(listener: (event: ConversationEvent) => void, time: EventTime): () => void {
    this.#observe();
    return this.#listeners[time].add(listener);
  }

  /** A turn begins. Returns the function with which a loop gets its events, also after the turn has ended. */
  beginTurn(key: string): Follow {
    const turn = new TurnEvents(this.#store.getSnapshot());
    this.#open.set(key, turn);
    this.#store.record((change) => this.#keep(change));
    return (stream) => {
      // What was not delivered yet would reach the new loop twice.
      this.deliver();
      if (this.#open.get(key) === turn) this.#observe();
      return turn.follow(stream);
    };
  }

  /** A turn ends. What happened until now still belongs to it. */
  endTurn(key: string): void {
    const turn = this.#open.get(key);
    if (turn) this.#ending.push(turn);
    this.#open.delete(key);
  }

  /** Adds an event that is no change of the conversation. */
  add(event: ConversationEvent): void {
    this.#keep({ event });
    this.#happened?.push(event);
  }

  /** Delivers what happened. This runs for each update, and most sessions have neither a loop nor a listener. */
  deliver(): void {
    const ending = this.#ending;
    if (ending.length > 0) {
      this.#ending = [];
      if (this.#open.size === 0) this.#store.record(undefined);
    }
    const events = this.#happened;
    if (events === undefined || events.length === 0) return;
    this.#happened = [];
    const turns = [...this.#open.values(), ...ending];
    // First the loops: a listener can begin another one, which gets these events from what was kept.
    for (const event of events) for (const turn of turns) turn.push(event);
    for (const event of events) {
      this.#listeners.always.notify(event);
      if (turns.length === 0) this.#listeners.idle.notify(event);
    }
  }

  #keep(happening: Happening): void {
    for (const turn of this.#open.values()) turn.keep(happening);
    for (const turn of this.#ending) turn.keep(happening);
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
