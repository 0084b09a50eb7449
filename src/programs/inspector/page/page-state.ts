import { ListenerSet } from '../../../base/listeners.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';

export const tabs = ['wire', 'turns', 'capabilities', 'diagnostics', 'process', 'agent', 'compare'] as const;
export type Tab = (typeof tabs)[number];

/** `auto`: the color scheme of the system. */
export type Theme = 'auto' | 'light' | 'dark';

/** A request that is being written by hand. */
export interface RequestDraft {
  readonly method: string;
  /** The parameters, as JSON. */
  readonly text: string;
  /** Whether it is sent although the agent does not support it. */
  readonly isUngated: boolean;
}

/** A request that was sent by hand, and what came of it. */
export interface SentRequest {
  /** Counts the requests. */
  readonly number: number;
  readonly method: string;
  readonly params: unknown;
  /** Whether it was sent although the agent does not support it. */
  readonly isUngated: boolean;
  readonly outcome: { readonly result?: unknown; readonly error?: { readonly message?: string } };
  readonly tookMs: number;
}

/** What the user has chosen. */
export interface Choices {
  /** What is on the left. The sessions are shown as well if there is no transcript. */
  readonly pane: 'transcript' | 'sessions';
  readonly tab: Tab;
  /** Index of the last item that has happened at the time that is shown. `null`: the newest. */
  readonly position: number | null;
  /** Index of the item that is chosen. */
  readonly message: number | null;
  /** Key of the entry that is chosen. */
  readonly entry: string | null;
  /** The number of the conversation that is shown. `null`: the one that changed last. */
  readonly conversation: number | null;
  /** Which messages are shown, as `readQuery` reads it. */
  readonly search: string;
  /** The texts of which each piece is shown, by the index of their first piece. */
  readonly unfolded: ReadonlySet<number>;
  readonly theme: Theme;
  readonly dialog: 'shortcuts' | null;
  readonly draft: RequestDraft;
}

const firstChoices: Choices = {
  pane: 'transcript',
  tab: 'wire',
  position: null,
  message: null,
  entry: null,
  conversation: null,
  search: '',
  unfolded: new Set(),
  theme: 'auto',
  dialog: null,
  draft: { method: 'session/list', text: '{}', isUngated: false },
};

/** How many requests by hand are kept. */
const maxSent = 50;

/** The state of the page: the timelines, and what the user has chosen. */
export class PageState {
  readonly timeline: LoadedTimeline;
  /** Whether the timeline can grow. */
  readonly isLive: boolean;
  /** To compare with. */
  readonly other: LoadedTimeline | undefined;
  /** The session that the prompt goes to. `null` if there is none, and for a recording. */
  session: string | null = null;
  choices: Choices = firstChoices;
  /** The requests that were sent by hand, the latest first. */
  sent: readonly SentRequest[] = [];
  /** Where the time that plays began: a moment of the browser, and a time of the timeline. `null`: it does not play. */
  #playing: { readonly startedAt: number; readonly from: number } | null = null;
  /** What a screen reader says. */
  said = '';
  readonly #listeners = new ListenerSet<[]>(reportError);
  #isRequested = false;

  constructor(options: {
    readonly timeline: LoadedTimeline;
    readonly other?: LoadedTimeline | undefined;
    readonly isLive: boolean;
  }) {
    this.timeline = options.timeline;
    this.other = options.other;
    this.isLive = options.isLive;
  }

  /** Whether the lists stay at their end. */
  get follows(): boolean {
    return this.isLive && this.choices.position === null && this.choices.message === null;
  }

  get isPlaying(): boolean {
    return this.#playing !== null;
  }

  /** Index of the last item that has happened at the time that is shown. */
  get position(): number {
    return Math.min(this.choices.position ?? Number.POSITIVE_INFINITY, this.timeline.length - 1);
  }

  /** The number of the conversation that is shown. `null` if nothing has happened in it yet. */
  get conversation(): number | null {
    const { timeline, session, choices } = this;
    if (choices.conversation !== null) return choices.conversation;
    if (session === null || choices.position !== null) return timeline.shownAt(this.position);
    const number = timeline.conversations().findLastIndex(({ sessionId }) => sessionId === session);
    return number === -1 ? null : number;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  choose(change: Partial<Choices>): void {
    this.choices = { ...this.choices, ...change };
    this.changed();
  }

  /** Shows a request where it can be changed and sent. */
  edit(method: string, params: unknown): void {
    const text = JSON.stringify(params ?? {}, null, 2);
    this.choose({ tab: 'agent', draft: { method, text, isUngated: false } });
  }

  /** Keeps a request that was sent by hand. */
  keep(request: Omit<SentRequest, 'number'>): SentRequest {
    const kept = { ...request, number: (this.sent[0]?.number ?? 0) + 1 };
    this.sent = [kept, ...this.sent].slice(0, maxSent);
    this.changed();
    return kept;
  }

  say(text: string): void {
    this.said = text;
    this.changed();
  }

  /** Draws the page, at the next frame. */
  changed(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    requestAnimationFrame(() => {
      this.#isRequested = false;
      this.#listeners.notify();
    });
  }

  /** Goes on in time, as fast as it happened. At the end it begins again. */
  play(): void {
    const { times } = this.timeline;
    const from = this.choices.position === null ? 0 : (times[this.position] ?? 0);
    this.#playing = { startedAt: performance.now(), from };
    this.choose({ position: this.timeline.indexAt(from), message: null, entry: null });
    requestAnimationFrame(() => this.#playOn());
  }

  pause(): void {
    this.#playing = null;
    this.changed();
  }

  #playOn(): void {
    if (!this.#playing) return;
    const { startedAt, from } = this.#playing;
    const index = this.timeline.indexAt(from + performance.now() - startedAt);
    if (index >= this.timeline.length - 1) {
      this.#playing = null;
      return this.goLive();
    }
    if (index !== this.position) this.choose({ position: index });
    requestAnimationFrame(() => this.#playOn());
  }

  /** Chooses a message. A message that has not happened at the time that is shown moves the time. */
  chooseMessage(index: number): void {
    this.#playing = null;
    const changed = this.timeline.rows[index]?.changes.at(-1)?.conversation;
    this.choose({
      message: index,
      entry: null,
      ...(index > this.position && { position: index }),
      ...(changed !== undefined && changed !== this.conversation && { conversation: changed }),
    });
  }

  /** Shows a message on the wire, whatever is filtered. */
  showMessage(index: number): void {
    this.choose({ tab: 'wire', search: '' });
    this.chooseMessage(index);
  }

  /** Shows some rows on the wire, and nothing else. */
  showRows(first: number, last: number): void {
    this.choose({ tab: 'wire', search: `rows:${first + 1}-${last + 1} ` });
    this.chooseMessage(first);
  }

  /** Shows each piece of a text, or all of them as one line. */
  fold(run: number): void {
    const unfolded = new Set(this.choices.unfolded);
    if (!unfolded.delete(run)) unfolded.add(run);
    this.choose({ unfolded });
  }

  /** Chooses an entry, and the first message that made it. */
  chooseEntry(key: string): void {
    const { conversation } = this;
    this.#playing = null;
    const first = conversation === null ? undefined : this.timeline.itemsOf(conversation, key)[0];
    this.choose({ tab: 'wire', entry: key, message: first ?? null });
  }

  /** Shows the time after an item. At the end, the page follows what comes. */
  goTo(index: number): void {
    this.#playing = null;
    const last = this.timeline.length - 1;
    const target = Math.max(0, Math.min(index, last));
    this.choose({ position: target === last ? null : target, message: target, entry: null });
  }

  goLive(): void {
    this.#playing = null;
    this.choose({ position: null, message: null, entry: null });
  }
}
