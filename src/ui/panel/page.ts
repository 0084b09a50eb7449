import { errorMessage } from '../../core/base/diagnostic.ts';
import { listenerForErrors } from '../../core/base/listeners.ts';
import type { PanelChannel } from './channel.ts';
import { drawing } from './drawing.ts';
import {
  type Change,
  type HostMessage,
  otherVersionText,
  panelVersion,
  randomId,
  readHostMessage,
} from './messages.ts';
import { pageView } from './page-view.ts';
import { PanelError, panelError, problem } from './panel-error.ts';
import { readPlainData } from './plain-data.ts';
import type { PanelProblem, PanelState } from './state.ts';
import { Wire } from './wire.ts';

/** An action whose result has not arrived. */
interface Call {
  readonly action: string;
  readonly params: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: PanelError) => void;
}

/**
 * What a page knows of its host.
 *
 * | state    | the page                                      | leaves it by                                          |
 * | -------- | --------------------------------------------- | ----------------------------------------------------- |
 * | `asking` | asks for everything; its calls wait           | a change that has everything                          |
 * | `met`    | takes changes that follow each other; calls   | a change that is missing, another host, the end of the |
 * |          |                                               | channel, a host that does not answer                  |
 * | `closed` | takes nothing more                            |                                                       |
 */
interface Host {
  readonly is: 'asking' | 'met' | 'closed';
  /** The run of the host. `null`: none has answered, or it was lost. */
  readonly run: string | null;
  /** The number of the last change that was taken, and of the last one that was drawn. */
  readonly have: number;
  readonly drawn: number;
  /** How often the page has asked for everything, and which of these questions was answered last. */
  readonly asked: number;
  readonly answered: number;
  /** How often it has asked since the host was heard. */
  readonly unanswered: number;
  readonly maxCharacters: number;
}

const lost = { run: null, have: 0, drawn: 0 };
const unmet: Host = { ...lost, is: 'asking', asked: 0, answered: 0, unanswered: 0, maxCharacters: 0 };

/** The text in the input. */
interface Draft {
  readonly text: string;
  /**
   * - `read`: the host has it, or nothing was written here
   * - `unsent`: the host is to get it
   * - `sent`: it is on its way
   * - `kept`: it cannot be sent, so that it stays here
   */
  readonly is: 'read' | 'unsent' | 'sent' | 'kept';
  /** The number of the draft that is on its way. 0: none is. */
  readonly number: number;
}

/** The errors of a channel that can never carry a message. With others, the host is asked whether it has it. */
const finalErrors: readonly unknown[] = ['DataCloneError', 'RangeError'];

/** After how many questions without an answer the host is gone: after about a minute. */
const maxUnanswered = 8;

const otherVersion = problem('panel.version', otherVersionText);
const channelEnded = 'The connection to the host ended.';

/** The page's end: what the host has sent, and the calls that wait. */
export class PanelPage {
  readonly #id = randomId();
  readonly #wire: Wire;
  readonly #view: ReturnType<typeof pageView>;
  readonly #drawing = drawing(
    () => this.#draw(),
    (number) => this.#drawnUntil(number),
  );
  /** The calls that were sent, by their number, and those that wait for the host. */
  readonly #calls = new Map<number, Call>();
  readonly #waiting: Call[] = [];
  #host = unmet;
  #draft: Draft = { text: '', is: 'read', number: 0 };
  /** What went wrong at this end. */
  #fault: PanelProblem | null = null;
  /** The number of the last call or draft. */
  #number = 0;

  /**
   * @param onError - Called when a message could not be sent, or a channel could not be opened.
   * @param onListenerError - Called with the error of a listener.
   */
  constructor(
    channel: PanelChannel | (() => PanelChannel),
    onError: (error: unknown) => void,
    onListenerError: (error: unknown) => void,
  ) {
    const reportListener = listenerForErrors(onListenerError);
    this.#view = pageView((error) => {
      reportListener(error);
      this.#tellHost(error);
    });
    this.#wire = new Wire(channel, {
      onMessage: (message) => this.#receive(message),
      onAsk: () => this.#ask(),
      onEnd: () => this.#lose('asking', 'panel.disconnected', channelEnded),
      onError: listenerForErrors(onError),
    });
    this.#wire.open();
  }

  get state(): PanelState {
    return this.#view.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#view.subscribe(listener);
  }

  /** Asks the host for an action. */
  call(action: string, params: object): Promise<unknown> {
    if (this.#fault !== otherVersion) this.#fault = null;
    this.#update();
    return new Promise<unknown>((resolve, reject) => {
      if (this.#host.is === 'closed') throw panelError('panel.closed', 'The panel is closed.');
      if (this.#wire.isOver) throw panelError('panel.disconnected', channelEnded);
      this.#waiting.push({ action, params, resolve, reject });
      this.#sendWaiting();
    });
  }

  setDraft(text: string): void {
    if (text === this.#draft.text || this.#host.is === 'closed') return;
    this.#draft = { ...this.#draft, text, is: 'unsent' };
    this.#offerDraft();
    // At once: an input whose value a framework sets would lose what the user types.
    this.#update();
    this.#draw();
  }

  close(): void {
    if (this.#host.is === 'closed') return;
    this.#sendDraft();
    this.#wire.close();
    this.#drawing.stop();
    this.#lose('closed', 'panel.closed', 'The panel was closed.');
  }

  /** Rejects the calls that were sent, and the others if no host can follow. */
  #lose(is: 'asking' | 'closed', code: string, message: string): void {
    this.#rejectSent(code, message);
    if (this.#wire.isOver)
      for (const { reject } of this.#waiting.splice(0)) reject(panelError(code, message));
    this.#host = { ...this.#host, ...lost, is };
    this.#update();
    this.#draw();
  }

  #rejectSent(code: string, message: string): void {
    for (const { reject } of this.#calls.values()) reject(panelError(code, message));
    this.#calls.clear();
    // The next host does not have what was written here.
    if (this.#draft.is !== 'read') this.#draft = { ...this.#draft, is: 'unsent', number: 0 };
  }

  // --- To the host ---------------------------------------------------------------------------------------------------

  #ask(): void {
    if (this.#host.run !== null && this.#host.unanswered >= maxUnanswered) {
      this.#lose('asking', 'panel.disconnected', 'The host of the panel does not answer.');
    }
    const { is, asked, unanswered } = this.#host;
    if (is === 'closed') return;
    this.#host = { ...this.#host, unanswered: unanswered + 1, asked: asked + (is === 'asking' ? 1 : 0) };
    this.#post(is === 'asking' ? { type: 'hello', asked: asked + 1 } : { type: 'ask' });
  }

  /** A message of the host is missing, or it is another host. */
  #askForEverything(): void {
    if (this.#host.is === 'closed') return;
    this.#host = { ...this.#host, is: 'asking' };
    this.#wire.pulse.soon();
  }

  /** Sends the draft if the host has the one before. */
  #offerDraft(): void {
    if (this.#draft.number === 0) this.#sendDraft();
  }

  #sendDraft(): void {
    const { text, is } = this.#draft;
    if (is !== 'unsent' || this.#host.is !== 'met') return;
    const number = this.#send({ type: 'draft', text });
    if (typeof number === 'number') this.#draft = { text, is: 'sent', number };
    else this.#draft = { text, is: 'kept', number: 0 };
  }

  #sendWaiting(): void {
    if (this.#host.is !== 'met') return;
    const waiting = this.#waiting.splice(0);
    // In the order in which the user did it.
    if (waiting.length > 0) this.#sendDraft();
    for (const call of waiting) {
      const number = this.#send({ type: 'call', action: call.action, params: call.params });
      if (typeof number === 'number') this.#calls.set(number, call);
      else call.reject(number);
    }
  }

  /** Sends a copy with the next number, which it returns. The error: the host could not read it, and nothing is sent. */
  #send(content: object): number | PanelError {
    const number = this.#number + 1;
    try {
      // The copy of an object is one.
      const body = readPlainData({ ...this.#ends(), ...content, number }, this.#host.maxCharacters) as object;
      this.#number = number;
      this.#post(body, number);
      this.#wire.pulse.stop();
      this.#wire.pulse.later();
      return number;
    } catch (error) {
      return this.#unsent(errorMessage(error));
    }
  }

  #ends() {
    const { run, have, drawn } = this.#host;
    return { panel: panelVersion, page: this.#id, run, have, drawn, sent: this.#number };
  }

  /** An error that the state shows too. */
  #unsent(message: string): PanelError {
    this.#fault = problem('panel.unsent', message);
    this.#update();
    return new PanelError(this.#fault);
  }

  /** @param number - Of the call or the draft that the message is. */
  #post(body: object, number = 0): void {
    void this.#wire.post({ ...body, ...this.#ends() }).then((error) => {
      if (number > 0 && finalErrors.includes(Reflect.get(Object(error), 'name'))) this.#giveUp(number, error);
    });
  }

  /** The channel can never carry the call or the draft. */
  #giveUp(number: number, error: unknown): void {
    const failed = this.#unsent(`This cannot be sent: ${errorMessage(error)}`);
    if (number === this.#draft.number) this.#draft = draftAfterResult(this.#draft, 'kept');
    this.#settle(number, ({ reject }) => reject(failed));
    this.#offerDraft();
  }

  #tellHost(error: unknown): void {
    if (this.#host.is !== 'met') return;
    const detail: unknown = Reflect.get(Object(error), 'stack') ?? null;
    this.#post({ type: 'fault', text: errorMessage(error), detail });
  }

  // --- From the host -------------------------------------------------------------------------------------------------

  #receive(data: unknown): void {
    const message = readHostMessage(data);
    if (message === null) return;
    if (message === 'version') {
      this.#fault = otherVersion;
      return this.#update();
    }
    const isMine = message.page === this.#id;
    if (!isMine && message.type !== 'ask') return;
    if (isMine) this.#host = { ...this.#host, unanswered: 0 };
    if (message.type === 'change') this.#takeChange(message);
    else if (!isMine || !this.#isCurrent(message.run, message.sent)) this.#askForEverything();
    else {
      this.#draft = draftAfter(this.#draft, message);
      this.#post({ type: 'have' });
    }
    this.#offerDraft();
    const isOwed = this.#host.is === 'asking' || this.#calls.size > 0 || this.#draft.number > 0;
    if (isOwed) this.#wire.pulse.later();
    else this.#wire.pulse.stop();
  }

  /** Whether the page has taken every change of this host up to a number. */
  #isCurrent(run: string, number: number): boolean {
    return this.#host.is === 'met' && this.#host.run === run && this.#host.have === number;
  }

  #takeChange(message: HostMessage & Change): void {
    const { run, number, base, answers, state, results, maxCharacters } = message;
    const { have, drawn, answered } = this.#host;
    // It is late: of a host that was there before this one, or it came twice.
    if (base === 0 ? answers <= answered : run === this.#host.run && number <= have) return;
    if (base !== 0 && !this.#isCurrent(run, base)) return this.#askForEverything();
    const isNewRun = run !== this.#host.run;
    const wasDrawn = !isNewRun && drawn === have && this.#view.isDrawn();
    try {
      const draft = this.#view.take(message);
      if (isNewRun) {
        this.#rejectSent(
          'panel.host_restarted',
          'The host of the panel was started again. Repeat what you did.',
        );
      }
      this.#draft = draftAfter(this.#draft, message);
      // What was written here is newer than what the host had before.
      if (state && this.#draft.is === 'read') this.#draft = { ...this.#draft, text: draft };
    } catch {
      // What the host sent is no state. The last one stays, until a whole one comes.
      return this.#askForEverything();
    }
    const known = { is: 'met', run, have: number, drawn: isNewRun ? 0 : drawn, maxCharacters } as const;
    this.#host = { ...this.#host, ...known, ...(base === 0 && { answered: answers }) };
    if (this.#fault === otherVersion) this.#fault = null;
    this.#update();
    // A result alone needs no drawing.
    if (wasDrawn && this.#view.isDrawn()) this.#host = { ...this.#host, drawn: number };
    else this.#drawing.request();
    this.#post({ type: 'have' });
    this.#sendWaiting();
    for (const result of results) {
      const { value, error } = result;
      this.#settle(result.number, ({ resolve, reject }) =>
        error ? reject(new PanelError(error)) : resolve(value),
      );
    }
  }

  #settle(number: number, settle: (call: Call) => void): void {
    const call = this.#calls.get(number);
    this.#calls.delete(number);
    if (call) settle(call);
  }

  // --- To the listeners ----------------------------------------------------------------------------------------------

  /** Makes the state. The listeners learn of it in the next frame. */
  #update(): void {
    this.#view.update({
      draft: this.#draft.text,
      ...(this.#host.run === null && { phase: 'disconnected' }),
      ...(this.#fault && { problem: this.#fault }),
    });
    if (!this.#view.isDrawn()) this.#drawing.request();
  }

  /** Calls the listeners if the state is new. Returns the number of the change that they know then. */
  #draw(): number {
    this.#view.draw();
    return this.#host.have;
  }

  #drawnUntil(number: number): void {
    // It can be of a host that was there before this one.
    if (number <= this.#host.drawn || number > this.#host.have) return;
    this.#host = { ...this.#host, drawn: number };
    this.#post({ type: 'have' });
  }
}

/** The draft whose result has come. One that was written since is still to be sent. */
function draftAfterResult({ text, is }: Draft, result: Draft['is']): Draft {
  return { text, is: is === 'sent' ? result : is, number: 0 };
}

/** The draft after a message of the host, which can have taken it, or not. */
function draftAfter(draft: Draft, { draft: taken, ...message }: HostMessage): Draft {
  const results = 'results' in message ? message.results : [];
  const error = results.find(({ number }) => number === draft.number)?.error;
  if (error) return draftAfterResult(draft, error.code === 'panel.unsent' ? 'unsent' : 'kept');
  return draft.number > 0 && taken >= draft.number ? draftAfterResult(draft, 'read') : draft;
}
