import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc';
import { warning } from '../base/diagnostic.ts';
import { macrotask } from '../transport/macrotask.ts';
import type { PausableTransport } from '../transport/queued-transport.ts';
import type { ChannelFault, Transport } from '../transport/transport.ts';
import type { IncomingMessages, PeerListener } from './incoming.ts';

/** How many messages of an array are handled before the event loop runs. */
const messagesPerTurn = 256;

/**
 * Reads from a transport for vscode-jsonrpc, and keeps the order of the wire.
 *
 * vscode-jsonrpc dispatches one message per turn of the event loop. The code that waits for a response runs some
 * promise callbacks later. An update that is handled in between would overtake it: `await loadSession()` would continue
 * with updates that came after the answer, or without some that came before. Two rules prevent this:
 *
 * - Notifications do not pass through vscode-jsonrpc. The listener handles them before the next message is read.
 * - After a message for vscode-jsonrpc the transport is paused until that message was dispatched and the event loop has
 *   run once more, which runs every promise callback that follows from it.
 */
export class OrderedReader extends AbstractMessageReader {
  readonly #transport: PausableTransport;
  readonly #listener: PeerListener;
  readonly #incoming: IncomingMessages;
  #dispatch: DataCallback = () => {};
  #isDisposed = false;
  readonly #injected = new WeakSet<Message>();
  #work: Promise<unknown> | undefined;
  /** The rest of an array of messages. */
  #rest: Iterator<unknown> = [].values();

  constructor(transport: PausableTransport, listener: PeerListener, incoming: IncomingMessages) {
    super();
    this.#transport = transport;
    this.#listener = listener;
    this.#incoming = incoming;
  }

  /** Called by vscode-jsonrpc. */
  listen(dispatch: DataCallback): Disposable {
    this.#dispatch = dispatch;
    this.#transport.listen({
      onMessage: (message) => this.#receive(message),
      onDiagnostic: this.#listener.onDiagnostic,
      onActivity: () => this.#listener.onActivity?.(),
      onSecrets: (secrets) => this.#listener.onSecrets?.(secrets),
      onRequestFailed: (id, error) => this.#fail({ type: 'callFailed', id, error }),
      onSessionLost: (loss) => this.#fail({ ...loss, type: 'sessionLost' }),
    });
    return { dispose() {} };
  }

  /** Ignores what arrives from now on. */
  override dispose(): void {
    super.dispose();
    this.#isDisposed = true;
  }

  /** Lets vscode-jsonrpc dispatch a message that did not arrive. Nothing waits for it. */
  inject(message: Message): void {
    if (this.#isDisposed) return;
    this.#injected.add(message);
    this.#dispatch(message);
  }

  /** To be called when vscode-jsonrpc has dispatched a message. */
  dispatched(message: Message): void {
    if (!this.#injected.delete(message)) macrotask(() => this.#next());
  }

  /** To be called by what waits for a message: the next one is read when `work` has settled and its callbacks have run. */
  hold(work: Promise<unknown>): void {
    // Its caller gets the error.
    this.#work = work.catch(() => {});
  }

  #next(): void {
    const work = this.#work;
    this.#work = undefined;
    if (work) void work.then(() => macrotask(() => this.#next()));
    else this.#continue();
  }

  #receive(message: unknown): void {
    if (this.#isDisposed) return;
    this.#listener.onMessage?.('in', message);
    if (!Array.isArray(message)) {
      this.#pass(this.#incoming.take(message));
      return;
    }
    const text =
      'The agent sent an array of messages. ACP has no batches. The messages are handled one by one.';
    this.#listener.onDiagnostic(warning('rpc.batch', text, message));
    this.#transport.pause();
    this.#rest = message.values();
    this.#continue();
  }

  #fail(fault: ChannelFault): void {
    if (!this.#isDisposed) this.#pass(this.#incoming.takeFault(fault));
  }

  /** Lets vscode-jsonrpc dispatch a message. Returns whether the next one has to wait. */
  #pass(forLibrary: Message | undefined): boolean {
    if (!forLibrary) return false;
    this.#transport.pause();
    this.#dispatch(forLibrary);
    return true;
  }

  /** Handles the rest of an array, and then reads on. */
  #continue(): void {
    for (let count = 0; count < messagesPerTurn; count++) {
      const { done, value } = this.#rest.next();
      if (done) return this.#transport.resume();
      if (this.#pass(this.#incoming.take(value))) return;
    }
    macrotask(() => this.#continue());
  }
}

/** What a {@link TransportWriter} reports. */
export interface WriteListener {
  /** Sees every message before it is written. */
  onSend(message: Message): void;
  /** Sees the messages of vscode-jsonrpc before they are written. */
  onWrite(message: Message): void;
  /** The message cannot be written as JSON. Nothing was sent. */
  onUnwritable(message: Message, error: unknown): void;
  /** The channel takes no more messages. */
  onFailure(error: unknown): void;
}

/** Writes for vscode-jsonrpc to a transport. */
export class TransportWriter extends AbstractMessageWriter {
  readonly #transport: Transport;
  readonly #listener: WriteListener;
  #waiting = 0;
  #waitingAnswerBytes = 0;

  constructor(transport: Transport, listener: WriteListener) {
    super();
    this.#transport = transport;
    this.#listener = listener;
  }

  /** How many messages the transport has not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many bytes of answers to the agent the transport has not taken yet, if it counts them. */
  get waitingAnswerBytes(): number {
    return this.#waitingAnswerBytes;
  }

  /** Called by vscode-jsonrpc. */
  write(message: Message): Promise<void> {
    this.#listener.onWrite(message);
    return this.send(message);
  }

  /** Writes a message that vscode-jsonrpc knows nothing of. */
  async send(message: Message): Promise<void> {
    this.#listener.onSend(message);
    this.#waiting++;
    const queuedBefore = this.#transport.queuedBytes ?? 0;
    const sent = this.#transport.send(message);
    const queued = (this.#transport.queuedBytes ?? 0) - queuedBefore;
    const answerBytes = 'method' in message ? 0 : queued;
    this.#waitingAnswerBytes += answerBytes;
    try {
      await sent;
    } catch (error) {
      if (isJson(message)) this.#listener.onFailure(error);
      else this.#listener.onUnwritable(message, error);
      throw error;
    } finally {
      this.#waiting--;
      this.#waitingAnswerBytes -= answerBytes;
    }
  }

  /** Called by vscode-jsonrpc. The peer closes the transport itself. */
  end(): void {}
}

/** Whether JSON can express `message`. If it can and a write failed, the channel is broken. */
function isJson(message: Message): boolean {
  try {
    JSON.stringify(message);
    return true;
  } catch {
    return false;
  }
}
