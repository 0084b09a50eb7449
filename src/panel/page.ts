import { type ConversationMirror, createConversationMirror } from '../conversation/mirror.ts';
import { settingsOf } from '../conversation/settings.ts';
import { ListenerSet, listenerForErrors } from '../listeners.ts';
import type { Conversation } from '../model/conversation.ts';
import type { PanelChannel } from './channel.ts';
import { Frame } from './frame.ts';
import { readHostMessage } from './host-messages.ts';
import { PanelLink } from './link.ts';
import {
  type ConversationPart,
  type HostMessage,
  panelVersion,
  randomId,
  type StatePart,
} from './messages.ts';
import { PanelError, problem } from './panel-error.ts';
import { Retry } from './retry.ts';
import {
  emptyState,
  hasSameSettings,
  type PanelProblem,
  type PanelQuestion,
  type PanelState,
  type SentState,
  withConversation,
} from './state.ts';

/** An action whose result has not arrived. */
interface Call {
  readonly action: string;
  readonly params: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: PanelError) => void;
}

/** How many actions of a page can be open. The host has its own limit. */
const maxOpenCalls = 1000;

const otherVersion = problem(
  'panel.version',
  'The page and its host are of different versions of the panel. Load the page again.',
);

/** The page's end: what the host has sent, and the calls that wait. */
export class PanelPage {
  readonly #id = randomId();
  readonly #link: PanelLink;
  readonly #listeners: ListenerSet<[]>;
  readonly #hello = new Retry(() => this.#sayHello());
  readonly #resend = new Retry(() => this.#requestResend());
  readonly #draftFrame = new Frame(() => this.#postDraft());
  /** The calls by their id. Those that were not sent wait for the host. */
  readonly #calls = new Map<number, Call>();
  #unsent: number[] = [];
  #callCount = 0;
  #state: PanelState = emptyState;
  #sent: SentState | undefined;
  /** The run of the host that was heard last. */
  #run: string | undefined;
  #isConnected = false;
  #mirror: ConversationMirror | undefined;
  /** The last conversation of the mirror that is one. */
  #conversation: Conversation | null = null;
  #draft = '';
  /** The number of changes of the draft on this page. */
  #edit = 0;
  #isDraftSent = true;
  #fault: PanelProblem | null = null;
  #isClosed = false;

  constructor(channel: PanelChannel | (() => PanelChannel), onError: (error: unknown) => void) {
    const report = listenerForErrors(onError);
    this.#listeners = new ListenerSet(report);
    this.#link = new PanelLink(channel, {
      onMessage: (message) => this.#receive(message),
      onOpen: () => this.#hello.start(),
      onEnd: () => this.#disconnect('panel.disconnected', 'The connection to the host ended.'),
      onError: report,
    });
  }

  get state(): PanelState {
    return this.#state;
  }

  open(): void {
    this.#link.open();
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Asks the host for an action. */
  call(action: string, params: object): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#isClosed) throw callError('panel.closed', 'The panel is closed.');
      if (this.#calls.size >= maxOpenCalls) {
        throw callError('panel.refused', `The page has ${maxOpenCalls} open actions. Wait for one to end.`);
      }
      const id = ++this.#callCount;
      this.#calls.set(id, { action, params, resolve, reject });
      if (this.#isConnected) this.#postCall(id);
      else this.#unsent.push(id);
    });
  }

  setDraft(text: string): void {
    if (text === this.#draft || this.#isClosed) return;
    this.#draft = text;
    this.#edit++;
    this.#isDraftSent = false;
    this.#draftFrame.request();
    this.#update();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#postDraft();
    this.#isClosed = true;
    this.#link.close();
    this.#draftFrame.stop();
    this.#disconnect('panel.closed', 'The panel was closed.');
  }

  #disconnect(code: string, message: string): void {
    this.#isConnected = false;
    this.#hello.stop();
    this.#resend.stop();
    this.#rejectCalls(code, message);
    this.#update();
  }

  #sayHello(): void {
    this.#post({ type: 'hello', edit: this.#edit });
    // Another host does not have what was written on this page.
    if (this.#edit > 0) {
      this.#edit++;
      this.#isDraftSent = false;
      this.#postDraft();
    }
  }

  #requestResend(): void {
    const sessionId = this.#sent?.sessionId;
    if (sessionId != null) this.#post({ type: 'resend', sessionId });
  }

  #postDraft(): void {
    if (this.#isDraftSent) return;
    this.#isDraftSent = true;
    this.#post({ type: 'draft', text: this.#draft, edit: this.#edit });
  }

  #postCall(id: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    // In the order in which the user did it.
    this.#postDraft();
    this.#post({ type: 'call', id, action: call.action, params: call.params });
  }

  #post(body: object): void {
    this.#link.post({ panel: panelVersion, page: this.#id, ...body });
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    const message = readHostMessage(data);
    if (message === null) return;
    if (message === 'version') {
      this.#fault = otherVersion;
      this.#hello.stop();
      this.#update();
      return;
    }
    if (message.run !== this.#run) this.#meet(message);
    if (message.page !== this.#id) {
      // For another page, or of a host that has not heard of this one.
      if (!this.#isConnected) this.#hello.start();
      return;
    }
    this.#take(message);
  }

  /** Another host, or the same one started again: it knows nothing of this page. */
  #meet({ run, page }: HostMessage): void {
    const isOther = this.#run !== undefined;
    this.#run = run;
    if (page !== this.#id) this.#hello.soon();
    if (!isOther) return;
    this.#isConnected = false;
    const sent = [...this.#calls.keys()].filter((id) => !this.#unsent.includes(id));
    const message = 'The host of the panel was started again. Repeat what you did.';
    this.#rejectCalls('panel.host_restarted', message, sent);
  }

  #take(message: HostMessage): void {
    if (message.type === 'result') {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error) call?.reject(new PanelError(message.error));
      else call?.resolve(message.value);
      return;
    }
    if (message.type === 'conversation') {
      this.#fold(message.conversation);
      this.#update();
      return;
    }
    const { edit, conversation } = message;
    const questions = this.#questionsOf(message.state);
    if (!questions) return this.#hello.start();
    const state: SentState = { ...message.state, questions };
    if (state.sessionId !== this.#sent?.sessionId) this.#openMirror(state.sessionId);
    this.#sent = state;
    // What the host had before the last change here is old.
    if (edit === this.#edit) this.#draft = state.draft;
    if (conversation) this.#fold(conversation);
    this.#fault = null;
    this.#hello.stop();
    this.#link.answered();
    this.#isConnected = true;
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const id of unsent) this.#postCall(id);
    this.#update();
  }

  /** The questions of a state, or `undefined` if a message with one of them was lost. */
  #questionsOf({ questions }: StatePart): readonly PanelQuestion[] | undefined {
    const known = new Map(this.#sent?.questions.map((question) => [question.id, question]));
    const found = questions.flatMap((question) =>
      typeof question === 'string' ? (known.get(question) ?? []) : question,
    );
    return found.length === questions.length ? found : undefined;
  }

  #openMirror(sessionId: string | null): void {
    this.#resend.stop();
    this.#mirror = sessionId === null ? undefined : this.#newMirror(sessionId);
    this.#conversation = this.#mirror?.getSnapshot() ?? null;
  }

  #newMirror(sessionId: string): ConversationMirror {
    return createConversationMirror(sessionId, { requestResend: () => this.#resend.start() });
  }

  #fold({ sessionId, message }: ConversationPart): void {
    if (!this.#mirror || sessionId !== this.#sent?.sessionId) return;
    const shown = this.#conversation;
    try {
      // The form of the patch is checked where it is applied.
      this.#mirror.receive(message);
      const conversation = this.#mirror.getSnapshot();
      if (conversation === shown) return;
      assertConversation(conversation, shown);
      this.#conversation = conversation;
      if (message.sequence === 0) this.#resend.stop();
    } catch {
      // What the host sent is no conversation. The last one stays, and another mirror receives the next one.
      this.#mirror = this.#newMirror(sessionId);
      this.#resend.start();
    }
  }

  #update(): void {
    const phase = this.#isConnected ? this.#sent?.phase : 'disconnected';
    const sent: SentState = {
      ...(this.#sent ?? emptyState),
      phase: phase ?? 'disconnected',
      draft: this.#draft,
      ...(this.#fault && { problem: this.#fault }),
    };
    const next = withConversation(this.#state, sent, this.#conversation);
    if (next === this.#state) return;
    this.#state = next;
    this.#listeners.notify();
  }

  #rejectCalls(code: string, message: string, ids: readonly number[] = [...this.#calls.keys()]): void {
    for (const id of ids) {
      this.#calls.get(id)?.reject(callError(code, message));
      this.#calls.delete(id);
    }
    this.#unsent = this.#unsent.filter((id) => this.#calls.has(id));
  }
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
    lists.every(Array.isArray) && typeof activity?.state === 'string' && typeof info === 'object';
  if (!isConversation) throw new TypeError('The host sent something else than a conversation.');
  if (!hasSameSettings(shown, conversation)) settingsOf(conversation);
}

function callError(code: string, message: string): PanelError {
  return new PanelError(problem(code, message));
}
