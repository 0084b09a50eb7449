import { ListenerSet, listenerForErrors } from '../base/listeners.ts';
import { diffConversation } from '../conversation/diff.ts';
import { applyPatch } from '../conversation/patch.ts';
import { settingsOf } from '../conversation/settings.ts';
import type { Conversation } from '../model/conversation.ts';
import type { PanelChannel } from './channel.ts';
import { Drawing } from './drawing.ts';
import { Frame } from './frame.ts';
import { readHostMessage } from './host-messages.ts';
import { PanelLink } from './link.ts';
import {
  type Change,
  type ConversationPart,
  type HostMessage,
  panelVersion,
  randomId,
  type StatePart,
} from './messages.ts';
import { PageFaults } from './page-faults.ts';
import { PanelError, panelError, problem } from './panel-error.ts';
import { Retry } from './retry.ts';
import type { PanelProblem, PanelState } from './state.ts';
import { emptyState, hasSameSettings, type SentState, withConversation } from './whole-state.ts';

/** An action whose result has not arrived. */
interface Call {
  readonly action: string;
  readonly params: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: PanelError) => void;
}

/** A call or a draft. */
type Body = { readonly type: 'call' | 'draft' } & Readonly<Record<string, unknown>>;

/** How many actions of a page can be open. The host has its own limit. */
const maxOpenCalls = 1000;

/** After how many questions without an answer the host is gone: after about a minute. */
const maxUnanswered = 8;

/** The shortest time between two repetitions of what the host has not acknowledged, in milliseconds. */
const repeatPauseMs = 200;

const otherVersion = problem(
  'panel.version',
  'The page and its host are of different versions of the panel. Load the page again.',
);
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
  /** The run of the host, which has chosen it for this page. */
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
  readonly #faults = new PageFaults();
  #sent: SentState | undefined;
  #isConnected = false;
  #conversation: Conversation | null = null;
  #draft = '';
  #hasWritten = false;
  #isDraftSent = true;
  /** The number of the last draft that was sent. */
  #draftNumber = 0;
  #fault: PanelProblem | null = null;
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
    return new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw panelError('panel.closed', 'The panel is closed.');
      if (this.#link.isOver) throw panelError('panel.disconnected', channelEnded);
      if (this.#calls.size + this.#unsent.length >= maxOpenCalls) {
        throw panelError('panel.refused', `The page has ${maxOpenCalls} open actions. Wait for one to end.`);
      }
      this.#unsent.push({ action, params, resolve, reject });
      this.#sendWaiting();
    });
  }

  setDraft(text: string): void {
    if (text === this.#draft || this.#isClosed) return;
    this.#draft = text;
    this.#hasWritten = true;
    this.#isDraftSent = false;
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
    this.#isConnected = false;
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
    if (this.#isConnected && this.#retry.unanswered > maxUnanswered) {
      this.#disconnect('panel.disconnected', 'The host of the panel does not answer.');
    }
    this.#post({ type: 'ask', asked: ++this.#asked });
  }

  /** Sends the draft at the end of a frame, if the host has the one before. */
  #offerDraft(): void {
    if (!this.#outbox.has(this.#draftNumber)) this.#sendDraft();
  }

  #sendDraft(): void {
    if (this.#isDraftSent || !this.#isConnected) return;
    this.#isDraftSent = true;
    this.#draftNumber = this.#send({ type: 'draft', text: this.#draft });
  }

  #sendWaiting(): void {
    if (!this.#isConnected) return;
    const waiting = this.#unsent;
    this.#unsent = [];
    // In the order in which the user did it.
    if (waiting.length > 0) this.#sendDraft();
    for (const call of waiting) {
      const { action, params } = call;
      this.#calls.set(this.#send({ type: 'call', action, params }), call);
    }
  }

  #send(body: Body): number {
    const number = ++this.#number;
    this.#outbox.set(number, body);
    this.#retry.stop();
    this.#retry.later();
    this.#post({ ...body, number });
    return number;
  }

  #post(body: object): void {
    const ends = { panel: panelVersion, page: this.#id, run: this.#run };
    this.#link.post({ ...ends, have: this.#have, drawn: this.#drawn, sent: this.#number, ...body });
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
    this.#fault = null;
    this.#isConnected = true;
    this.#link.answered();
    this.#retry.stop();
    this.#update();
    // A result alone needs no drawing.
    if (wasDrawn && this.#state === this.#drawnState) this.#drawn = number;
    else this.#drawing.request();
    this.#post({ type: 'have' });
    this.#acknowledge(have);
    this.#sendWaiting();
    for (const { number: called, value, error } of message.results) {
      const call = this.#calls.get(called);
      this.#calls.delete(called);
      if (error) call?.reject(new PanelError(error));
      else call?.resolve(value);
    }
  }

  /** @throws if the parts do not fit to what is shown. Then nothing has changed. */
  #show({ run, base, have, state, conversation: part }: HostMessage & Change, isNewRun: boolean): void {
    const sent = state ? withQuestions(state, this.#sent) : this.#sent;
    if (!sent || (base === 0 && !state)) throw new TypeError('The first change has no state.');
    const isSame = sent.sessionId === this.#sent?.sessionId;
    const shown = isSame ? this.#conversation : null;
    const conversation = part ? fold(part, sent.sessionId, shown) : shown;
    if (isNewRun) this.#meet(run);
    this.#sent = sent;
    this.#conversation = conversation;
    // What the host had before the last change here is old.
    if (state && this.#isDraftSent && have >= this.#draftNumber) this.#draft = sent.draft;
  }

  /** Another host, or the same one started again: it knows nothing of this page. */
  #meet(run: string): void {
    this.#run = run;
    this.#drawn = 0;
    this.#rejectSent('panel.host_restarted', 'The host of the panel was started again. Repeat what you did.');
    if (this.#hasWritten) this.#isDraftSent = false;
  }

  #acknowledge(have: number): void {
    for (const number of this.#outbox.keys()) if (number <= have) this.#outbox.delete(number);
    this.#offerDraft();
  }

  /** Sends again what the host has not acknowledged. */
  #repeat(): void {
    if (performance.now() - this.#repeatedAt < repeatPauseMs) return;
    this.#repeatedAt = performance.now();
    for (const [number, body] of this.#outbox) this.#post({ ...body, number });
  }

  /** Makes the state. The listeners learn of it in the next frame. */
  #update(): void {
    const phase = this.#isConnected ? this.#sent?.phase : 'disconnected';
    const sent = {
      ...this.#sent,
      phase: phase ?? 'disconnected',
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
    const fault = this.#isConnected ? this.#faults.take(error) : undefined;
    if (fault) this.#post(fault);
  }
}

/** The state with the questions that the page has already. */
function withQuestions({ questions, ...state }: StatePart, before: SentState | undefined): SentState {
  const known = new Map(before?.questions.map((question) => [question.id, question]));
  const found = questions.flatMap((question) =>
    typeof question === 'string' ? (known.get(question) ?? []) : question,
  );
  if (found.length < questions.length) throw new TypeError('The page does not have the question.');
  return { ...state, questions: found };
}

/** The conversation after a change. What is equal keeps its identity. */
function fold(
  { sessionId, isWhole, patch }: ConversationPart,
  shownId: string | null,
  shown: Conversation | null,
): Conversation {
  if (sessionId !== shownId) throw new TypeError('The conversation is of another session.');
  const patched = applyPatch(isWhole ? undefined : (shown ?? undefined), patch);
  const conversation = isWhole && shown ? applyPatch(shown, diffConversation(shown, patched)) : patched;
  assertConversation(conversation, shown);
  return conversation;
}

/**
 * Checks that a conversation has the lists that every page reads, and settings. What else is in them is the host's.
 *
 * @param shown - The conversation before, which was checked. Settings that have not changed are not checked again.
 * @throws an error
 */
function assertConversation(conversation: Conversation, shown: Conversation | null): void {
  const { entries, plans, commands, configOptions, activity, info } = conversation;
  const lists: readonly unknown[] = [entries, plans, commands, configOptions];
  const isConversation =
    lists.every(Array.isArray) && typeof activity.state === 'string' && typeof info === 'object';
  if (!isConversation) throw new TypeError('The host sent something else than a conversation.');
  if (!hasSameSettings(shown, conversation)) settingsOf(conversation);
}
