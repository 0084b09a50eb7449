import type { Session } from '../client/session/session.ts';
import { diffConversation } from '../conversation/diff.ts';
import type { Conversation } from '../model/conversation.ts';
import { act } from './actions.ts';
import type { Frame } from './frame.ts';
import type { PanelHost } from './host.ts';
import { type CallResult, type Change, panelVersion, randomId } from './messages.ts';
import type { PageMessage } from './page-messages.ts';
import { type PanelError, panelError } from './panel-error.ts';
import { problemOf, refused } from './problems.ts';
import { Retry } from './retry.ts';
import type { PanelProblem } from './state.ts';
import type { ConversationPart, SentState, StatePart } from './whole-state.ts';

/** The way to a page. */
export interface PageWire {
  /** Sends a message. One that is lost is asked for. */
  post(message: object): void;
  /** Calls {@link Delivery.answer}: at once, unless an answer was just sent. */
  answerSoon(page: Delivery): void;
  /** A listener of the page failed. */
  fault(text: string, detail: string | null): void;
  /** The page did not answer, so many times. */
  unanswered(page: Delivery, times: number): void;
}

/**
 * How often a page asks while what it has sent is missing, until that counts as lost for good: after about a minute, and
 * sooner if changes are lost too.
 */
const maxLost = 8;

/** How many results a page may leave unacknowledged before its next calls wait. */
const maxResults = 1000;

/** The parts of the state for which the user waits: a page gets a change of them before it has drawn the last change. */
const urgentParts = ['phase', 'sessionId', 'questions', 'waiting', 'problem'] as const;

/** What a page shows when it has taken the last change. */
interface View {
  readonly state: SentState;
  readonly session: Session | undefined;
  readonly conversation: Conversation | null;
}

/**
 * The host's end of one page. It sends one change, and the next one when the page has drawn it: what changes meanwhile
 * is joined. Results, and what the user waits for, need not wait for the drawing. It performs each call of the page once,
 * and in the order of their numbers.
 */
export class Delivery {
  readonly id: string;
  readonly #run = randomId();
  readonly #wire: PageWire;
  readonly #host: PanelHost;
  /** At its end, every page gets what has changed. */
  readonly #frame: Frame;
  /** Asks a page that does not acknowledge a change. */
  readonly #retry = new Retry(() => this.#ask());
  /** The number of the last change. */
  #sent = 0;
  /** The number of the last change that the page has drawn. */
  #drawn = 0;
  /** The change that the page has not acknowledged. */
  #pending: Change | undefined;
  #view: View | undefined;
  /** The results that the page has not acknowledged. */
  #results: readonly CallResult[] = [];
  readonly #openCalls = new Set<number>();
  /** The number of the last message of the page that was taken, and of the last one that is known. */
  #taken = 0;
  #known = 0;
  /** How often the page has asked while the next one was missing. */
  #lost = 0;
  #needsWhole = true;
  /** How often the page has asked. */
  #asked = 0;
  #isClosed = false;

  constructor(id: string, wire: PageWire, host: PanelHost, frame: Frame) {
    this.id = id;
    this.#wire = wire;
    this.#host = host;
    this.#frame = frame;
  }

  close(): void {
    this.#isClosed = true;
    this.#retry.stop();
  }

  /** Sends the last state, and settles the open calls with an error. */
  finish(error: PanelProblem): void {
    for (const number of this.#openCalls) this.#addResult(number, null, error);
    // The page may not have the last change.
    this.#postChange(this.#pending ? undefined : this.#view);
    this.close();
  }

  /** Sends what has changed, if the page can take it. */
  flush(): void {
    if (this.#isClosed || this.#pending || this.#needsWhole || !this.#hasNews()) return;
    if (this.#drawn >= this.#sent || this.#isUrgent()) this.#postChange(this.#view);
    // What the page says when it has drawn can be lost.
    else this.#retry.later();
  }

  #hasNews(): boolean {
    const { session, runner } = this.#host;
    const isSame = this.#view?.state === runner.sentState && this.#view.session === session;
    return (
      this.#results.length > 0 || !isSame || this.#view?.conversation !== (session?.conversation ?? null)
    );
  }

  #isUrgent(): boolean {
    const { sentState } = this.#host.runner;
    const before = this.#view?.state;
    return this.#results.length > 0 || urgentParts.some((part) => before?.[part] !== sentState[part]);
  }

  /** Answers what the page has asked. */
  answer(): void {
    if (this.#needsWhole) {
      this.#needsWhole = false;
      this.#postChange(undefined);
    } else if (this.#pending) this.#wire.post(this.#pending);
    if (this.#lost >= maxLost) {
      const text = 'What was sent did not arrive. It can be too long for the connection. Nothing was done.';
      this.#refuseNext(panelError('panel.unsent', text));
    }
    if (this.#known > this.#taken) this.#ask();
    else if (!this.#pending) this.#sayHave();
  }

  take(message: PageMessage): void {
    this.#retry.heard();
    const knowsRun = message.run === this.#run;
    if (knowsRun) {
      this.#known = Math.max(this.#known, message.sent);
      this.#acknowledge(message.have);
      this.#takeDrawn(message.drawn);
    }
    if (message.type === 'ask') {
      this.#asked = Math.max(this.#asked, message.asked);
      if (this.#known > this.#taken && this.#hasRoom()) this.#lost++;
      if (!knowsRun || message.have === 0) this.#needsWhole = true;
      this.#wire.answerSoon(this);
    } else if (message.type === 'fault') this.#wire.fault(message.text, message.detail);
    else if ('number' in message && knowsRun) this.#takeNext(message);
  }

  /** Refuses a call whose message is malformed, or cannot be read. */
  refuse({ run, number }: { readonly run: string; readonly number: number }, error: PanelError): void {
    if (run === this.#run && number === this.#taken + 1 && this.#hasRoom()) this.#refuseNext(error);
  }

  /** Whether the page acknowledges its results. */
  #hasRoom(): boolean {
    return this.#results.length < maxResults;
  }

  #refuseNext(error: PanelError): void {
    this.#addResult(++this.#taken, null, problemOf(error));
    this.#lost = 0;
    this.#host.problems.fail(error);
    this.flush();
  }

  #takeNext(message: Extract<PageMessage, { number: number }>): void {
    const { number } = message;
    // It was repeated.
    if (number <= this.#taken) return;
    // One before it is missing, or the page does not acknowledge its results.
    if (number > this.#taken + 1 || !this.#hasRoom()) return this.#wire.answerSoon(this);
    const { runner, limits } = this.#host;
    if (message.type === 'call' && this.#openCalls.size >= limits.openCalls) {
      return this.#refuseNext(refused(`The page has ${limits.openCalls} open calls. Wait for one to end.`));
    }
    this.#taken = number;
    this.#lost = 0;
    if (message.type === 'call') return this.#call(message);
    if (message.type === 'unsent') return this.#sayHave();
    const isKnown = this.#view?.state === runner.sentState;
    runner.dispatch({ type: 'draft', text: message.text });
    // The page knows its own text.
    if (isKnown && this.#view) this.#view = { ...this.#view, state: runner.sentState };
    this.#sayHave();
  }

  #call({ number, action, params }: Extract<PageMessage, { type: 'call' }>): void {
    this.#openCalls.add(number);
    const settle = (value: unknown, error: PanelProblem | null) => {
      this.#openCalls.delete(number);
      this.#addResult(number, value, error);
      this.#frame.runNow();
    };
    act(this.#host, action, params).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, problemOf(error)),
    );
  }

  #addResult(number: number, value: unknown, error: PanelProblem | null): void {
    this.#results = [...this.#results, { number, value: value ?? null, error }];
  }

  #acknowledge(have: number): void {
    if (have !== this.#pending?.number) return;
    const { results } = this.#pending;
    this.#results = this.#results.slice(results.length);
    this.#pending = undefined;
    this.#retry.stop();
    if (this.#results.length > 0) this.flush();
    else this.#frame.request();
  }

  #takeDrawn(drawn: number): void {
    if (drawn <= this.#drawn) return;
    this.#drawn = Math.min(drawn, this.#sent);
    if (this.#drawn < this.#sent || this.#pending) return;
    this.#retry.stop();
    this.#frame.request();
  }

  /** Sends what changed since `before`. `undefined`: everything. */
  #postChange(before: View | undefined): void {
    const { session, runner } = this.#host;
    const state = runner.sentState;
    const view: View = { state, session, conversation: session?.conversation ?? null };
    const change = {
      maxCharacters: this.#host.limits.messageCharacters,
      state: before?.state === state ? null : statePart(state, before?.state),
      conversation: conversationPart(before, view),
      results: this.#results,
    };
    const isNothing = !change.state && !change.conversation && change.results.length === 0;
    if (isNothing) return;
    const number = ++this.#sent;
    this.#view = view;
    const base = before ? number - 1 : 0;
    const answers = this.#asked;
    this.#pending = { ...this.#envelope(), type: 'change', number, base, answers, ...change };
    this.#retry.stop();
    this.#retry.later();
    this.#wire.post(this.#pending);
  }

  #ask(): void {
    this.#wire.post({ ...this.#envelope(), type: 'ask' });
    this.#wire.unanswered(this, this.#retry.unanswered);
  }

  #sayHave(): void {
    this.#wire.post({ ...this.#envelope(), type: 'have' });
  }

  #envelope() {
    return { panel: panelVersion, run: this.#run, page: this.id, have: this.#taken, sent: this.#sent };
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
  return patch.length > 0 ? { sessionId: session.sessionId, isWhole, patch } : null;
}
