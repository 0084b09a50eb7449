import {
  type ConversationPublisher,
  type MirrorMessage,
  publishConversation,
} from '../conversation/publish.ts';
import type { ConversationStore } from '../conversation/store.ts';
import { errorMessage } from '../diagnostic.ts';
import { isThenable } from '../listeners.ts';
import { unrefTimer } from '../wait.ts';
import type { PanelChannel } from './channel.ts';
import { type HostMessage, type PageMessage, panelVersion } from './messages.ts';
import type { Limits } from './options.ts';
import { readPageMessage, type WrongMessage } from './page-messages.ts';
import { problem } from './panel-error.ts';
import { problemOf } from './problems.ts';
import type { PanelProblem, SentState } from './state.ts';

/** What a page needs of its host. */
export interface PageHost {
  readonly run: string;
  readonly limits: Limits;
  readonly state: () => SentState;
  /** The session that is shown. */
  readonly shown: () => { readonly sessionId: string; readonly store: ConversationStore } | undefined;
  /** Performs an action. */
  readonly act: (action: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly setDraft: (text: string) => void;
  /** Sends what has changed to every page, at the end of the frame. */
  readonly requestFlush: () => void;
  /** Sends it now. */
  readonly flush: () => void;
  /** Takes a fault that the user does not see. */
  readonly report: (fault: PanelProblem) => void;
}

/** How long a page waits for the whole conversation after it got it, in milliseconds: making it takes time. */
const wholePauseMs = 250;

/** A message of the host without what every message has. */
type Body<T = HostMessage> = T extends HostMessage ? Omit<T, 'panel' | 'run' | 'page'> : never;

/** One attached page. */
export class Page {
  readonly #host: PageHost;
  readonly #channel: PanelChannel;
  readonly #stopListening: () => void;
  /** The faults that were reported, by their code: each is reported once. */
  readonly #reported = new Set<string>();
  /** The id of the page that said hello last. */
  #page: string | null = null;
  #edit = 0;
  #lastCall = -1;
  #openCalls = 0;
  #sentState: SentState | undefined;
  /** The ids of the questions that the page has. */
  #knownQuestions: ReadonlySet<string> = new Set();
  #publisher: ConversationPublisher | undefined;
  #publishedStore: ConversationStore | undefined;
  /** Flushes what the publisher has waiting. */
  #flushConversation: (() => void) | undefined;
  #collected: MirrorMessage | undefined;
  #needsWhole = false;
  #wholeTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(channel: PanelChannel, host: PageHost) {
    this.#channel = channel;
    this.#host = host;
    this.#stopListening = channel.listen((message) => this.#receive(message));
    this.#postState(null);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#wholeTimer);
    this.#publisher?.stop();
    this.#publishedStore = undefined;
    try {
      this.#stopListening();
    } catch (error) {
      this.#report('panel.channel', `The channel did not remove its listener: ${errorMessage(error)}`);
    }
  }

  /** Sends what has changed since the last time. */
  flush(): void {
    if (this.#isClosed || this.#page === null) return;
    const conversation = this.#conversationPart();
    const isNew = this.#sentState !== this.#host.state();
    if (isNew) this.#postState(conversation);
    else if (conversation) this.#post({ type: 'conversation', conversation });
  }

  #conversationPart() {
    const shown = this.#host.shown();
    if (shown?.store !== this.#publishedStore) {
      this.#publisher?.stop();
      this.#flushConversation = undefined;
      this.#publishedStore = shown?.store;
      this.#publisher = shown && this.#publish(shown.store);
    } else if (this.#needsWhole) this.#publisher?.resend();
    else this.#flushConversation?.();
    this.#needsWhole = false;
    const message = this.#collected;
    this.#collected = undefined;
    return shown && message ? { sessionId: shown.sessionId, message } : null;
  }

  #publish(store: ConversationStore): ConversationPublisher {
    return publishConversation(store, {
      send: (message) => {
        this.#collected = message;
      },
      schedule: (flush) => {
        this.#flushConversation = () => {
          this.#flushConversation = undefined;
          flush();
        };
        this.#host.requestFlush();
      },
    });
  }

  #postState(conversation: Extract<HostMessage, { type: 'state' }>['conversation']): void {
    const state = this.#host.state();
    this.#sentState = state;
    const questions = state.questions.map((question) =>
      this.#knownQuestions.has(question.id) ? question.id : question,
    );
    // Only a page that has said hello takes the message.
    if (this.#page !== null) this.#knownQuestions = new Set(state.questions.map(({ id }) => id));
    this.#post({ type: 'state', state: { ...state, questions }, edit: this.#edit, conversation });
  }

  #post(body: Body): void {
    const message = { panel: panelVersion, run: this.#host.run, page: this.#page, ...body };
    try {
      const posted = this.#channel.post(message);
      if (isThenable(posted)) posted.then(undefined, (error: unknown) => this.#lost(error));
    } catch (error) {
      this.#lost(error);
    }
  }

  /** A message was not sent. The page gets everything with the next change. */
  #lost(error: unknown): void {
    if (this.#isClosed) return;
    this.#sentState = undefined;
    this.#knownQuestions = new Set();
    this.#needsWhole = true;
    this.#report('panel.post', `A message to a page was lost: ${errorMessage(error)}`);
  }

  #report(code: string, message: string): void {
    if (this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#host.report(problem(code, message));
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    const read = readPageMessage(data, this.#host.limits.messageCharacters);
    if ('wrong' in read) this.#refuse(read.wrong);
    else this.#take(read.message);
  }

  #refuse({ reason, text, call }: WrongMessage): void {
    this.#report(`panel.message.${reason}`, text);
    if (call && call.page === this.#page) this.#fail(call.id, problem('panel.refused', text));
    // A page of another version understands at least the version.
    else if (reason === 'version') this.#requestWhole();
  }

  #take(message: PageMessage): void {
    if (message.type === 'hello') {
      if (this.#page !== message.page) {
        // Another page, or the same one loaded again: the results of the calls before are not for it.
        this.#page = message.page;
        this.#lastCall = -1;
      }
      this.#edit = message.edit;
      this.#requestWhole();
      return;
    }
    if (message.page !== this.#page) {
      this.#report('panel.hello', 'A page sent a message before it said hello to this host. It was ignored.');
      // The page says hello when it hears of this run.
      if (message.type === 'call') this.#requestWhole();
      return;
    }
    if (message.type === 'resend') {
      if (message.sessionId === this.#host.shown()?.sessionId) this.#requestWhole();
    } else if (message.type === 'draft') {
      if (message.edit <= this.#edit) return;
      this.#edit = message.edit;
      const isSent = this.#sentState === this.#host.state();
      this.#host.setDraft(message.text);
      // The page knows its own text.
      if (isSent) this.#sentState = this.#host.state();
    } else this.#call(message);
  }

  /** Sends the state and the whole conversation. At once, unless it was just sent. */
  #requestWhole(): void {
    this.#needsWhole = true;
    this.#sentState = undefined;
    this.#knownQuestions = new Set();
    if (this.#wholeTimer !== undefined) return;
    const pause = () => {
      this.#wholeTimer = undefined;
      if (this.#needsWhole) send();
    };
    const send = () => {
      this.#wholeTimer = setTimeout(pause, wholePauseMs);
      unrefTimer(this.#wholeTimer);
      if (this.#page === null) {
        this.#needsWhole = false;
        this.#postState(null);
      } else this.flush();
    };
    send();
  }

  #call({ id, action, params }: Extract<PageMessage, { type: 'call' }>): void {
    const { openCalls } = this.#host.limits;
    if (id <= this.#lastCall) {
      this.#report('panel.call', `A page used the id of a call twice: ${id}. The second call was ignored.`);
      return;
    }
    this.#lastCall = id;
    if (this.#openCalls >= openCalls) {
      this.#fail(id, problem('panel.refused', `The page has ${openCalls} open calls. Wait for one to end.`));
      return;
    }
    this.#openCalls++;
    const page = this.#page;
    const settle = (value: unknown, error: PanelProblem | null) => {
      this.#openCalls--;
      if (this.#isClosed || this.#page !== page) return;
      // What the action changed arrives before its result.
      this.#host.flush();
      this.#post({ type: 'result', id, value: value ?? null, error });
    };
    this.#host.act(action, params).then(
      (value) => settle(value, null),
      (error: unknown) => settle(null, problemOf(error)),
    );
  }

  #fail(id: number, error: PanelProblem): void {
    this.#post({ type: 'result', id, value: null, error });
  }
}
