import { errorMessage } from '../base/diagnostic.ts';
import { ListenerSet, listenerForErrors } from '../base/listeners.ts';
import type { Conversation } from '../model/conversation.ts';
import type { PanelChannel } from './channel.ts';
import { Drawing } from './drawing.ts';
import { Frame } from './frame.ts';
import { readHostMessage } from './host-messages.ts';
import { PanelLink } from './link.ts';
import { type Change, type HostMessage, otherVersionText, panelVersion, randomId } from './messages.ts';
import { PanelError, panelError, problem } from './panel-error.ts';
import { readPlainData } from './plain-data.ts';
import { Retry } from './retry.ts';
import type { PanelProblem, PanelState } from './state.ts';
import { emptyState, fold, type SentState, withConversation, withQuestions } from './whole-state.ts';

/** An action whose result has not arrived. */
interface Call {
  readonly action: string;
  readonly params: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: PanelError) => void;
}

/** What a message has beside what every message has. A call, a draft and what replaces one have a number. */
type Body = { readonly type: string; readonly number?: number } & Readonly<Record<string, unknown>>;

/** The errors of a channel that can never carry a message. With others, the message is lost and sent again. */
const finalErrors: readonly unknown[] = ['DataCloneError', 'RangeError'];

/** How many actions of a page can be open. The host has its own limit. */
const maxOpenCalls = 1000;

/** After how many questions without an answer the host is gone: after about a minute. */
const maxUnanswered = 8;

/** The shortest time between two repetitions of what the host has not acknowledged, in milliseconds. */
const repeatPauseMs = 200;

const otherVersion = problem('panel.version', otherVersionText);
const channelEnded = 'The connection to the host ended.';

/** The page's end: what the host has sent, and the calls that wait. */
export class PanelPage {
  readonly #link: PanelLink;
  readonly #listeners: ListenerSet<[]>;
  /** Asks the host as long as something is open. */
  readonly #retry = new Retry(() => this.#ask());
  readonly #drawing = new Drawing({
    draw: () => this.#draw(),
    drawn: (number) => this.#drawnUntil(number),
  });
  readonly #draftFrame = new Frame(() => this.#offerDraft());
  /** Changes when the host is lost: what was on its way then is of another page. */
  #id = randomId();
  /** The run of the host, which has chosen it for this page. `null`: no host has answered. */
  #run: string | null = null;
  /** How often it has asked, and which of these questions the last whole state answered. */
  #asked = 0;
  #answered = 0;
  /** The number of the last change that was taken, and of the last one that was drawn. */
  #have = 0;
  #drawn = 0;
  /** The number of the last call or draft that was sent. */
  #number = 0;
  /** What the host has not acknowledged, by its number. */
  readonly #outbox = new Map<number, Body>();
  #repeatedAt = Number.NEGATIVE_INFINITY;
  /** The calls that were sent, by their number, and those that wait for the host. */
  readonly #calls = new Map<number, Call>();
  #unsent: Call[] = [];
  #state: PanelState = emptyState;
  /** The state that the listeners know. */
  #drawnState: PanelState = emptyState;
  #sent: SentState | undefined;
  #conversation: Conversation | null = null;
  #draft = '';
  /** `read`: nothing was written here. `kept`: it cannot be sent, so that it stays here. */
  #draftIs: 'read' | 'unsent' | 'sent' | 'kept' = 'read';
  /** The number of the last draft that was sent. */
  #draftNumber = 0;
  /** What went wrong at this end. */
  #fault: PanelProblem | null = null;
  #maxCharacters = 0;
  #isClosed = false;

  /**
   * @param onError - Called when a message could not be sent, or a channel could not be opened.
   * @param onListenerError - Called with the error of a listener.
   */
  constructor(
    channel: PanelChannel | (() => PanelChannel),
    onError: (error: unknown) => void,
    onListenerError: (error: unknown) => void,
  ) {
    const report = listenerForErrors(onError);
    const reportListener = listenerForErrors(onListenerError);
    this.#listeners = new ListenerSet((error) => {
      reportListener(error);
      this.#tellHost(error);
    });
    this.#link = new PanelLink(channel, {
      onMessage: (message) => this.#receive(message),
      onOpen: () => this.#retry.now(),
      onEnd: () => {
        this.#disconnect('panel.disconnected', channelEnded);
        this.#retry.stop();
      },
      onError: report,
    });
    this.#link.open();
  }

  get state(): PanelState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Asks the host for an action. */
  call(action: string, params: object): Promise<unknown> {
    if (this.#fault !== otherVersion) this.#fault = null;
    this.#update();
    return new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw panelError('panel.closed', 'The panel is closed.');
      if (this.#link.isOver) throw panelError('panel.disconnected', channelEnded);
      if (this.#calls.size + this.#unsent.length >= maxOpenCalls) {
        throw this.#failed(`The page has ${maxOpenCalls} open actions. Wait for one to end.`);
      }
      this.#unsent.push({ action, params, resolve, reject });
      this.#sendWaiting();
    });
  }

  setDraft(text: string): void {
    if (text === this.#draft || this.#isClosed) return;
    this.#draft = text;
    this.#draftIs = 'unsent';
    this.#draftFrame.request();
    // At once: an input whose value a framework sets would lose what the user types.
    this.#update();
    this.#draw();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#sendDraft();
    this.#isClosed = true;
    this.#link.close();
    this.#draftFrame.stop();
    this.#drawing.stop();
    this.#disconnect('panel.closed', 'The panel was closed.');
    this.#retry.stop();
  }

  /** Rejects the calls that were sent, and the others if no host can follow. The next host meets a new page. */
  #disconnect(code: string, message: string): void {
    this.#rejectSent(code, message);
    const lost = this.#link.isOver ? this.#unsent.splice(0) : [];
    for (const { reject } of lost) reject(panelError(code, message));
    this.#id = randomId();
    this.#run = null;
    this.#have = 0;
    this.#drawn = 0;
    this.#update();
    this.#draw();
  }

  #rejectSent(code: string, message: string): void {
    for (const { reject } of this.#calls.values()) reject(panelError(code, message));
    this.#calls.clear();
    this.#outbox.clear();
    this.#number = 0;
    this.#draftNumber = 0;
  }

  #ask(): void {
    if (this.#run !== null && this.#retry.unanswered > maxUnanswered) {
      this.#disconnect('panel.disconnected', 'The host of the panel does not answer.');
    }
    this.#post({ type: 'ask', asked: ++this.#asked });
  }

  /** Sends the draft at the end of a frame, if the host has the one before. */
  #offerDraft(): void {
    if (!this.#outbox.has(this.#draftNumber)) this.#sendDraft();
  }

  #sendDraft(): void {
    if (this.#draftIs !== 'unsent' || this.#run === null) return;
    this.#draftNumber = this.#send({ type: 'draft', text: this.#draft }, () => {});
    this.#draftIs = this.#draftNumber > 0 ? 'sent' : 'kept';
  }

  #sendWaiting(): void {
    if (this.#run === null) return;
    const waiting = this.#unsent;
    this.#unsent = [];
    // In the order in which the user did it.
    if (waiting.length > 0) this.#sendDraft();
    for (const call of waiting) {
      const number = this.#send({ type: 'call', action: call.action, params: call.params }, call.reject);
      if (number > 0) this.#calls.set(number, call);
    }
  }

  /** Sends a copy with the next number, which it returns. 0: the host could not read it, and nothing is sent. */
  #send(content: Body, reject: Call['reject']): number {
    const number = ++this.#number;
    try {
      // The copy of a body is one.
      const body = readPlainData({ ...this.#ends(), ...content, number }, this.#maxCharacters) as Body;
      this.#outbox.set(number, body);
      this.#retry.stop();
      this.#retry.later();
      this.#post(body);
      return number;
    } catch (error) {
      this.#number--;
      reject(this.#failed(errorMessage(error)));
      return 0;
    }
  }

  #ends() {
    const ends = { panel: panelVersion, page: this.#id, run: this.#run, have: this.#have };
    return { ...ends, drawn: this.#drawn, sent: this.#number };
  }

  /** An error that the state shows too. */
  #failed(message: string): PanelError {
    this.#fault = problem('panel.unsent', message);
    this.#update();
    return new PanelError(this.#fault);
  }

  #post(body: Body): void {
    void this.#link.post({ ...body, ...this.#ends() }).then((error) => {
      if (finalErrors.includes(Reflect.get(Object(error), 'name'))) this.#giveUp(body, error);
    });
  }

  /** The draft with this number did not reach the host. One that was written since is still to be sent. */
  #keepDraft(number: number): void {
    if (number === this.#draftNumber && this.#draftIs === 'sent') this.#draftIs = 'kept';
  }

  /** Rejects what the channel can never carry. What follows need not wait for it. */
  #giveUp(body: Body, error: unknown): void {
    const { number = 0 } = body;
    if (this.#outbox.get(number) !== body) return;
    const unsent = { type: 'unsent', number };
    this.#outbox.set(number, unsent);
    this.#post(unsent);
    this.#keepDraft(number);
    const failed = this.#failed(`This cannot be sent: ${errorMessage(error)}`);
    this.#calls.get(number)?.reject(failed);
    this.#calls.delete(number);
  }

  #receive(data: unknown): void {
    const message = readHostMessage(data);
    if (message === null) return;
    if (message === 'version') {
      this.#fault = otherVersion;
      this.#update();
    } else if (message.page === null) this.#retry.soon();
    else if (message.page === this.#id) this.#take(message);
  }

  #take(message: HostMessage): void {
    this.#retry.heard();
    if (message.type === 'change') this.#takeChange(message);
    // The change with which it begins is missing.
    else if (message.run !== this.#run) return this.#retry.soon();
    else {
      this.#acknowledge(message.have);
      if (message.sent > this.#have) this.#retry.soon();
      else if (message.type === 'ask') this.#post({ type: 'have' });
      if (message.type === 'ask') this.#repeat();
    }
    if (this.#calls.size > 0 || this.#outbox.size > 0) this.#retry.later();
    else if (message.type !== 'change' && message.sent <= this.#have) this.#retry.stop();
  }

  #takeChange(message: HostMessage & Change): void {
    const { run, number, base, answers, have } = message;
    const isNewRun = run !== this.#run;
    // It is of a host that was there before this one.
    if (isNewRun && base === 0 && answers <= this.#answered) return;
    // It was repeated, because the host does not know that it was taken.
    if (!isNewRun && number <= this.#have) return this.#post({ type: 'have' });
    if (base !== 0 && (isNewRun || base !== this.#have)) return this.#retry.soon();
    try {
      this.#show(message, isNewRun);
    } catch {
      // What the host sent is no state. The last one stays, until a whole one comes.
      this.#have = 0;
      return this.#retry.soon();
    }
    const wasDrawn = !isNewRun && this.#drawn === this.#have;
    this.#have = number;
    if (base === 0) this.#answered = answers;
    if (this.#fault === otherVersion) this.#fault = null;
    this.#maxCharacters = message.maxCharacters;
    this.#link.answered();
    this.#update();
    // A result alone needs no drawing.
    if (wasDrawn && this.#state === this.#drawnState) this.#drawn = number;
    else this.#drawing.request();
    this.#post({ type: 'have' });
    this.#acknowledge(have);
    // A stream of changes does not put off the question for what is lost.
    if (this.#outbox.size === 0) this.#retry.stop();
    this.#sendWaiting();
    for (const { number: called, value, error } of message.results) {
      const call = this.#calls.get(called);
      this.#calls.delete(called);
      if (error) call?.reject(new PanelError(error));
      else call?.resolve(value);
    }
  }

  /** @throws if the parts do not fit to what is shown. Then nothing has changed. */
  #show(change: HostMessage & Change, isNewRun: boolean): void {
    const { run, base, have, state, conversation: part, results } = change;
    const sent = state ? withQuestions(state, this.#sent) : this.#sent;
    if (!sent || (base === 0 && !state)) throw new TypeError('The first change has no state.');
    const isSame = sent.sessionId === this.#sent?.sessionId;
    const shown = isSame ? this.#conversation : null;
    const conversation = part ? fold(part, sent.sessionId, shown) : shown;
    if (isNewRun) this.#meet(run);
    this.#sent = sent;
    this.#conversation = conversation;
    for (const { number } of results) this.#keepDraft(number);
    // What the host had before the last change here is old.
    const isHosts = this.#draftIs === 'read' || this.#draftIs === 'sent';
    if (state && isHosts && have >= this.#draftNumber) this.#draft = sent.draft;
  }

  /** Another host, or the same one started again: it knows nothing of this page. */
  #meet(run: string): void {
    this.#run = run;
    this.#drawn = 0;
    this.#rejectSent('panel.host_restarted', 'The host of the panel was started again. Repeat what you did.');
    if (this.#draftIs !== 'read') this.#draftIs = 'unsent';
  }

  #acknowledge(have: number): void {
    for (const number of this.#outbox.keys()) if (number <= have) this.#outbox.delete(number);
    this.#offerDraft();
  }

  /** Sends again what the host has not acknowledged. */
  #repeat(): void {
    if (performance.now() - this.#repeatedAt < repeatPauseMs) return;
    this.#repeatedAt = performance.now();
    for (const body of this.#outbox.values()) this.#post(body);
  }

  /** Makes the state. The listeners learn of it in the next frame. */
  #update(): void {
    const sent = {
      ...this.#sent,
      ...(this.#run === null && { phase: 'disconnected' as const }),
      draft: this.#draft,
      ...(this.#fault && { problem: this.#fault }),
    };
    const next = withConversation(this.#state, sent, this.#conversation);
    if (next === this.#state) return;
    this.#state = next;
    this.#drawing.request();
  }

  /** Calls the listeners if the state is new. Returns the number of the change that they know then. */
  #draw(): number {
    if (this.#state !== this.#drawnState) {
      this.#drawnState = this.#state;
      this.#listeners.notify();
    }
    return this.#have;
  }

  #drawnUntil(number: number): void {
    // It can be of a host that was there before this one.
    if (number <= this.#drawn || number > this.#have) return;
    this.#drawn = number;
    this.#post({ type: 'have' });
  }

  #tellHost(error: unknown): void {
    if (this.#run === null) return;
    const detail: unknown = Reflect.get(Object(error), 'stack') ?? null;
    this.#post({ type: 'fault', text: errorMessage(error), detail });
  }
}
