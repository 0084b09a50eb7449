import { errorMessage } from '../../core/base/diagnostic.ts';
import { printable } from '../../core/base/printable.ts';
import type { Session } from '../../core/client/session/session.ts';
import { diffConversation } from '../../core/conversation/diff.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { act } from './actions.ts';
import type { PanelChannel } from './channel.ts';
import { backgroundTimer, type Frame } from './frame-timer.ts';
import type { PanelHost } from './host.ts';
import { type CallResult, type Change, panelVersion, randomId } from './messages.ts';
import { type PageMessage, readPageMessage } from './page-messages.ts';
import { type PanelError, panelError, problem } from './panel-error.ts';
import { problemOf, refused } from './problems.ts';
import type { PanelProblem } from './state.ts';
import type { ConversationPart, SentState, StatePart } from './whole-state.ts';
import { Wire } from './wire.ts';

/** How long a page waits for the next answer after it got one, in milliseconds: the whole conversation takes time. */
const answerPauseMs = 250;

/** How many results a page may leave unacknowledged before its next calls are lost. */
const maxResults = 1000;

/** How many different faults of the pages of a channel are reported, and how long their texts may be, in characters. */
const maxFaults = 20;
const maxFaultLength = 1000;
const maxFaultDetailLength = 8000;

/** The parts of the state for which the user waits: a page gets a change of them before it has drawn the last change. */
const urgentParts = ['phase', 'sessionId', 'questions', 'waiting', 'problem'] as const;

/** What a page shows when it has taken the last change. */
interface View {
  readonly state: SentState;
  readonly session: Session | undefined;
  readonly conversation: Conversation | null;
}

/** What the host knows of the page. */
interface Page {
  /**
   * - `unheard`: no page was heard, and the host announces itself
   * - `asking`: the page asked for everything, and gets that as the answer
   * - `taking`: the last change is on its way
   * - `drawing`: the page has taken the last change, and draws it: it gets only what is urgent
   * - `ready`: the page has drawn the last change, and gets each change
   */
  readonly is: 'unheard' | 'asking' | 'taking' | 'drawing' | 'ready' | 'closed';
  readonly id: string;
  /** Chosen when the page was met. */
  readonly run: string;
  readonly view: View | undefined;
  /** How often it has asked for everything. */
  readonly asked: number;
  /** The number of the last call or draft that was taken, and of the last draft. */
  readonly taken: number;
  readonly draft: number;
  /** The calls that are being performed, by their numbers. */
  readonly open: readonly number[];
  /** The results that the page has not acknowledged, and how many of them are in the change that is on its way. */
  readonly results: readonly CallResult[];
  readonly posted: number;
}

/** The page before one was heard. */
const unheardPage: Page = {
  is: 'unheard',
  id: '',
  run: '',
  view: undefined,
  asked: 0,
  taken: 0,
  draft: 0,
  open: [],
  results: [],
  posted: 0,
};

/**
 * The host's end of one channel. It sends one change, and the next one when the page has drawn it: what changes meanwhile
 * is joined. Results, and what the user waits for, need not wait for the drawing. It performs each call of the page once,
 * and in the order of their numbers. When the page is loaded again, the channel has another page.
 */
export class Delivery {
  readonly #wire: Wire;
  readonly #host: PanelHost;
  /** At its end, every page gets what has changed. */
  readonly #frame: Frame;
  #page: Page = unheardPage;
  /** The number of the last change. */
  #sent = 0;
  /** Runs after an answer. `isAsked`: the page has asked since. */
  #pause: { readonly timer: ReturnType<typeof setTimeout>; readonly isAsked: boolean } | undefined;
  /** The faults that were reported, by their code: each is reported once. */
  readonly #reported = new Set<string>();
  /** The faults of listeners of the pages, by their text. */
  readonly #faults = new Set<string>();

  /** @param onEnd - Called when the channel has ended. */
  constructor(channel: PanelChannel, host: PanelHost, frame: Frame, onEnd: () => void) {
    this.#host = host;
    this.#frame = frame;
    this.#wire = new Wire(channel, {
      onMessage: (message) => this.#receive(message),
      onAsk: () => this.#ask(),
      onEnd,
      onError: (error) =>
        this.#report('panel.channel', `The channel of a page failed: ${errorMessage(error)}`),
    });
    this.#wire.open();
  }

  /** Sends what has changed, if the page can take it. */
  flush(): void {
    const { is, view } = this.#page;
    if (!['drawing', 'ready'].includes(is) || !this.#hasNews()) return;
    if (is === 'ready' || this.#isUrgent()) this.#postChange(view);
    // What the page says when it has drawn can be lost.
    else this.#wire.pulse.later();
  }

  /** The panel is closed: sends the last state, and settles the open calls. */
  finish(error: PanelProblem): void {
    const { is, view, open } = this.#page;
    for (const number of open) this.#addResult(number, null, error);
    if (is !== 'unheard') this.#postChange(is === 'asking' ? undefined : view);
    this.close();
  }

  close(): void {
    clearTimeout(this.#pause?.timer);
    this.#page = { ...unheardPage, is: 'closed' };
    this.#wire.close();
  }

  // --- To the page ---------------------------------------------------------------------------------------------------

  #hasNews(): boolean {
    const { session, runner } = this.#host;
    const { view, results } = this.#page;
    const isSame = view?.state === runner.sentState && view.session === session;
    return results.length > 0 || !isSame || view.conversation !== (session?.conversation ?? null);
  }

  #isUrgent(): boolean {
    const { sentState } = this.#host.runner;
    const { view, results } = this.#page;
    return results.length > 0 || urgentParts.some((part) => view?.state[part] !== sentState[part]);
  }

  /** Sends what changed since `before`. `undefined`: everything. */
  #postChange(before: View | undefined): void {
    const { session, runner, limits } = this.#host;
    const { asked, results } = this.#page;
    const state = runner.sentState;
    const view: View = { state, session, conversation: session?.conversation ?? null };
    const change = {
      maxCharacters: limits.messageCharacters,
      state: before?.state === state ? null : statePart(state, before?.state),
      conversation: conversationPart(before, view),
      results,
    };
    if (!change.state && !change.conversation && results.length === 0) return;
    const number = ++this.#sent;
    const base = before ? number - 1 : 0;
    this.#page = { ...this.#page, is: 'taking', view, posted: results.length };
    const message: Change = { type: 'change', number, base, answers: asked, ...change };
    this.#wire.pulse.stop();
    this.#wire.pulse.later();
    this.#post(message);
  }

  /** Asks whether the page has the last change. */
  #ask(): void {
    this.#post({ type: 'ask', sent: this.#sent });
  }

  #post(body: object): void {
    const { id, run, draft } = this.#page;
    const head = { panel: panelVersion, run, page: id === '' ? null : id, draft };
    void this.#wire.post({ ...head, ...body });
  }

  /** Answers what the page has asked: at once, unless an answer was just sent. */
  #answer(): void {
    if (this.#pause) {
      this.#pause = { ...this.#pause, isAsked: true };
      return;
    }
    const timer = backgroundTimer(() => {
      const isAsked = this.#pause?.isAsked;
      this.#pause = undefined;
      if (isAsked) this.#answer();
    }, answerPauseMs);
    this.#pause = { timer, isAsked: false };
    if (this.#page.is === 'asking') this.#postChange(undefined);
    else this.#ask();
  }

  // --- From the page -------------------------------------------------------------------------------------------------

  #receive(data: unknown): void {
    const message = readPageMessage(data, this.#host.limits.messageCharacters);
    if ('reason' in message) {
      this.#report(`panel.message.${message.reason}`, message.text);
      // A page of another version understands at least the version.
      if (message.reason === 'version') this.#answer();
      return;
    }
    if (message.type === 'hello') return this.#meet(message);
    if (message.page === this.#page.id && message.run === this.#page.run) return this.#take(message);
    this.#report('panel.hello', 'A page sent a message before it said hello to this host. It was ignored.');
    this.#answer();
  }

  #meet({ page: id, run, asked, have, drawn, sent }: Extract<PageMessage, { type: 'hello' }>): void {
    // What a page sent that was loaded before, or to another host, is not missing.
    if (id !== this.#page.id) this.#page = { ...unheardPage, id, run: randomId(), taken: sent };
    if (run === this.#page.run) this.#acknowledge(have, drawn);
    this.#page = { ...this.#page, is: 'asking', asked: Math.max(this.#page.asked, asked) };
    this.#wire.pulse.stop();
    this.#answer();
  }

  #take(message: Exclude<PageMessage, { type: 'hello' }>): void {
    this.#acknowledge(message.have, message.drawn);
    if (message.type === 'ask') {
      this.#skipTo(message.sent);
      this.#answer();
    } else if (message.type === 'fault') this.#takeFault(message.text, message.detail);
    else if ('number' in message) this.#takeNext(message);
  }

  #acknowledge(have: number, drawn: number): void {
    const { is, results, posted } = this.#page;
    if (is === 'taking' && have === this.#sent) {
      this.#page = { ...this.#page, is: 'drawing', results: results.slice(posted), posted: 0 };
    }
    if (this.#page.is === 'drawing' && drawn >= this.#sent) this.#page = { ...this.#page, is: 'ready' };
    if (this.#page.is === is) return;
    this.#wire.pulse.stop();
    if (this.#page.results.length > 0) this.flush();
    else this.#frame.request();
  }

  /** Refuses what the page has sent up to a number, and what did not arrive. It is not done if it comes later. */
  #skipTo(number: number): void {
    const { taken, results } = this.#page;
    if (number <= taken) return;
    this.#page = { ...this.#page, taken: number };
    const count = Math.min(number - taken, maxResults - results.length);
    const text = 'What was sent did not arrive. It can be too long for the connection. Nothing was done.';
    this.#fail(
      Array.from({ length: count }, (_, index) => taken + 1 + index),
      panelError('panel.unsent', text),
    );
  }

  #fail(numbers: readonly number[], error: PanelError): void {
    for (const number of numbers) this.#addResult(number, null, problemOf(error));
    this.#host.problems.fail(error);
    this.flush();
  }

  #takeNext(message: Extract<PageMessage, { number: number }>): void {
    const { number } = message;
    if (number <= this.#page.taken) return;
    this.#skipTo(number - 1);
    // The page does not acknowledge its results.
    if (this.#page.results.length >= maxResults) return;
    this.#page = { ...this.#page, taken: number };
    if (message.type === 'call') this.#call(message);
    else this.#takeDraft(number, message.text);
  }

  #takeDraft(number: number, text: string): void {
    const { runner } = this.#host;
    const { view } = this.#page;
    const isKnown = view?.state === runner.sentState;
    runner.dispatch({ type: 'draft', text });
    // The page knows its own text.
    const known = isKnown ? { ...view, state: runner.sentState } : view;
    this.#page = { ...this.#page, draft: number, view: known };
    this.#ask();
  }

  #call({ page, number, action, params }: Extract<PageMessage, { type: 'call' }>): void {
    const { openCalls } = this.#host.limits;
    if (this.#page.open.length >= openCalls) {
      return this.#fail([number], refused(`The page has ${openCalls} open calls. Wait for one to end.`));
    }
    this.#page = { ...this.#page, open: [...this.#page.open, number] };
    const settle = (value: unknown, error: PanelProblem | null) => {
      // The page was loaded again.
      if (page !== this.#page.id) return;
      this.#addResult(number, value, error);
      this.#frame.runNow();
    };
    act(this.#host, action, params).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, problemOf(error)),
    );
  }

  #addResult(number: number, value: unknown, error: PanelProblem | null): void {
    const open = this.#page.open.filter((other) => other !== number);
    const results = [...this.#page.results, { number, value: value ?? null, error }];
    this.#page = { ...this.#page, open, results };
  }

  // --- To the program ------------------------------------------------------------------------------------------------

  /** A listener of a page failed. Each text is reported once. */
  #takeFault(text: string, detail: string | null): void {
    const said = printable(text.slice(0, maxFaultLength));
    if (this.#faults.has(said) || this.#faults.size >= maxFaults) return;
    this.#faults.add(said);
    this.#host.problems.report({
      ...problem('panel.page', `A listener of the page failed: ${said}`),
      detail: detail === null ? null : printable(detail.slice(0, maxFaultDetailLength)),
    });
  }

  #report(code: string, message: string): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#host.problems.report(problem(code, message));
  }
}

function statePart(state: SentState, before: SentState | undefined): StatePart {
  const known = new Set(before?.questions.map(({ id }) => id));
  const questions = state.questions.map((question) => (known.has(question.id) ? question.id : question));
  return { ...state, questions };
}

function conversationPart(
  before: View | undefined,
  { session, conversation }: View,
): ConversationPart | null {
  if (!session || !conversation || before?.conversation === conversation) return null;
  const isWhole = before?.session !== session;
  const patch = diffConversation(isWhole ? undefined : (before?.conversation ?? undefined), conversation);
  return patch.length > 0 ? { isWhole, patch } : null;
}
