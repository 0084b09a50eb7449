import { ListenerSet } from '../../../core/base/listeners.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';

/** The views, in their order. */
export const tabNames = {
  wire: 'Wire',
  turns: 'Turns',
  capabilities: 'Capabilities',
  agent: 'Agent',
  compare: 'Compare',
} as const;
export type Tab = keyof typeof tabNames;

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
  /** A request that is being written by hand. */
  readonly draft: {
    readonly method: string;
    /** The parameters, as JSON. */
    readonly text: string;
    /** Whether it is sent although the agent does not support it. */
    readonly isUngated: boolean;
  };
}

const firstChoices: Choices = {
  pane: 'transcript',
  tab: 'wire',
  position: null,
  message: null,
  entry: null,
  conversation: null,
  search: '',
  draft: { method: 'session/list', text: '{}', isUngated: false },
};

/** What happens within this time is shown at once when the time plays, in milliseconds. */
const frameMs = 16;

/** The state of the page: the timelines, and what the user has chosen. */
export class PageState {
  readonly timeline: LoadedTimeline;
  /** Whether there is an agent, and the timeline can grow. */
  readonly isLive: boolean;
  /** To compare with. */
  readonly other: LoadedTimeline | undefined;
  /** The session that the prompt goes to. `null` if there is none, and for a recording. */
  session: string | null = null;
  choices: Choices;
  /** The timer of what is shown next. `null`: the time does not play. */
  #playing: ReturnType<typeof setTimeout> | null = null;
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
    this.choices = { ...firstChoices, tab: options.other ? 'compare' : 'wire' };
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

  /** Draws the page, at the next frame. */
  changed(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    requestAnimationFrame(() => {
      this.#isRequested = false;
      this.#listeners.notify();
    });
  }

  /** Goes on in time, as fast as it happened, without long pauses. At the end it begins again, at the first entry. */
  play(): void {
    this.pause();
    // Before the first entry there is nothing to see.
    const first = this.timeline.rows.findIndex(({ changes }) =>
      changes.some((each) => each.entries.length > 0),
    );
    const position = this.choices.position === null ? Math.max(0, first) : this.position;
    this.choose({ position, message: null, entry: null });
    this.#playOn();
  }

  pause(): void {
    if (this.#playing !== null) clearTimeout(this.#playing);
    this.#playing = null;
    this.changed();
  }

  #playOn(): void {
    const { drawnTimes } = this.timeline;
    const now = drawnTimes[this.position] ?? 0;
    const next = drawnTimes[this.position + 1];
    if (next === undefined) return this.goLive();
    this.#playing = setTimeout(() => {
      this.choose({ position: this.timeline.indexAt(next + frameMs) });
      this.#playOn();
    }, next - now);
  }

  /** Chooses a message. A message that has not happened at the time that is shown moves the time. */
  chooseMessage(index: number): void {
    this.pause();
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

  /** Chooses an entry, and the first message that made it. */
  chooseEntry(key: string): void {
    const { conversation } = this;
    this.pause();
    const first = conversation === null ? undefined : this.timeline.itemsOf(conversation, key)[0];
    this.choose({ tab: 'wire', entry: key, message: first ?? null });
  }

  /** Shows the time after an item. At the end, the page follows what comes. */
  goTo(index: number): void {
    this.pause();
    const last = this.timeline.length - 1;
    const target = Math.max(0, Math.min(index, last));
    this.choose({ position: target === last ? null : target, message: target, entry: null });
  }

  goLive(): void {
    this.pause();
    this.choose({ position: null, message: null, entry: null });
  }
}
