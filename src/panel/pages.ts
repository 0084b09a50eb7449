import { errorMessage } from '../base/diagnostic.ts';
import { callListener } from '../base/listeners.ts';
import { printable } from '../base/printable.ts';
import type { PanelChannel } from './channel.ts';
import { Delivery, type PageWire } from './delivery.ts';
import { backgroundTimer, type Frame } from './frame.ts';
import type { PanelHost } from './host.ts';
import { panelVersion } from './messages.ts';
import { readPageMessage, type WrongMessage } from './page-messages.ts';
import { problem } from './panel-error.ts';
import { refused } from './problems.ts';
import { Retry } from './retry.ts';
import type { PanelProblem } from './state.ts';

/** How long a page waits for the next answer after it got one, in milliseconds: the whole conversation takes time. */
const answerPauseMs = 250;

/** How many pages of one channel are known: the newest, and those that were loaded before it. */
const maxPages = 8;

/** How many different faults of the pages of a channel are reported, and how long their texts may be, in characters. */
const maxFaults = 20;
const maxFaultLength = 1000;
const maxFaultDetailLength = 8000;

/** After how many questions without an answer a page is forgotten whose channel has another one. */
const maxUnanswered = 6;

/** The channel of an attached page. When the page is loaded again, the channel has another page. */
export class PageChannel implements PageWire {
  readonly #channel: PanelChannel;
  readonly #host: PanelHost;
  readonly #frame: Frame;
  readonly #stopListening: () => void;
  /** Announces the host until a page is heard. */
  readonly #announcement = new Retry(() => this.#announce());
  /** The pages by their id, the one that said hello last at the end. */
  readonly #pages = new Map<string, Delivery>();
  /** The pages that wait for an answer. */
  readonly #asking = new Set<Delivery>();
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** The faults that were reported, by their code: each is reported once. */
  readonly #reported = new Set<string>();
  /** The faults of listeners of the pages, by their text. */
  readonly #faults = new Set<string>();
  #isClosed = false;

  constructor(channel: PanelChannel, host: PanelHost, frame: Frame) {
    this.#channel = channel;
    this.#host = host;
    this.#frame = frame;
    this.#stopListening = channel.listen((message) => this.#receive(message));
    // A channel can deliver at once what has come before.
    if (this.#pages.size === 0) this.#announcement.now();
  }

  /** Sends what has changed since the last time. */
  flush(): void {
    for (const page of [...this.#pages.values()]) page.flush();
  }

  /** The panel is closed: sends the last state, and settles the open calls. */
  finish(error: PanelProblem): void {
    for (const page of [...this.#pages.values()]) page.finish(error);
    this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#pause);
    this.#announcement.stop();
    for (const page of this.#pages.values()) page.close();
    callListener(this.#stopListening, (error) =>
      this.#report('panel.channel', `The channel did not remove its listener: ${errorMessage(error)}`),
    );
  }

  /** Sends a message. One that is lost is asked for. */
  post(message: object): void {
    const onLost = (error: unknown) => {
      if (!this.#isClosed) this.#report('panel.post', `A message to a page was lost: ${errorMessage(error)}`);
    };
    callListener(() => this.#channel.post(message), onLost);
  }

  /** Lets a page answer what it was asked: at once, unless an answer was just sent. */
  answerSoon(page: Delivery): void {
    this.#asking.add(page);
    if (this.#pause === undefined) this.#answerNext();
  }

  /** A listener of a page failed. Each text is reported once. */
  fault(text: string, detail: string | null): void {
    const said = printable(text.slice(0, maxFaultLength));
    if (this.#faults.has(said) || this.#faults.size >= maxFaults) return;
    this.#faults.add(said);
    this.#host.problems.report({
      ...problem('panel.page', `A listener of the page failed: ${said}`),
      detail: detail === null ? null : printable(detail.slice(0, maxFaultDetailLength)),
    });
  }

  /** A page did not answer. The page of a channel can be hidden or frozen; one that was loaded again is gone. */
  unanswered(page: Delivery, times: number): void {
    if (times > maxUnanswered && this.#pages.size > 1) this.#forget(page);
  }

  #answerNext(): void {
    this.#pause = undefined;
    const [page] = this.#asking;
    if (!page) return;
    this.#asking.delete(page);
    this.#pause = backgroundTimer(() => this.#answerNext(), answerPauseMs);
    page.answer();
  }

  #announce(): void {
    this.post({ panel: panelVersion, type: 'ask', page: null, run: '', have: 0, sent: 0 });
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    const read = readPageMessage(data, this.#host.limits.messageCharacters);
    if ('wrong' in read) return this.#refuse(read.wrong);
    const { message } = read;
    const page = this.#pages.get(message.page) ?? (message.type === 'ask' && this.#meet(message.page));
    if (page) {
      this.#announcement.stop();
      page.take(message);
      return;
    }
    this.#report('panel.hello', 'A page sent a message before it said hello to this host. It was ignored.');
    this.#announcement.soon();
  }

  #meet(id: string): Delivery {
    const page = new Delivery(id, this, this.#host, this.#frame);
    this.#pages.set(id, page);
    const [oldest] = this.#pages.values();
    if (oldest && this.#pages.size > maxPages) this.#forget(oldest);
    return page;
  }

  #forget(page: Delivery): void {
    page.close();
    this.#pages.delete(page.id);
    this.#asking.delete(page);
  }

  #refuse({ reason, text, call }: WrongMessage): void {
    const page = call && this.#pages.get(call.page);
    if (page) return page.refuse(call, refused(text));
    this.#report(`panel.message.${reason}`, text);
    // A page of another version understands at least the version.
    if (reason === 'version') this.#announcement.soon();
  }

  #report(code: string, message: string): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#host.problems.report(problem(code, message));
  }
}
