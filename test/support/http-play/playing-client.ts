import { isJsonObject, isRequestId, type JsonObject, type RequestId } from '../../../src/core/base/json.ts';
import type { Transport } from '../../../src/core/transport/transport.ts';
import { streamableHttp } from '../raw-acp-connection.ts';
import { allHappened } from '../timed-acp-server.ts';
import { type Habits, type Happening, sessions } from './journal.ts';

/** A client as a connection is one: answers each request, and opens a session that is lost again, or leaves it. */
export class PlayingClient {
  readonly transport: Transport;
  readonly #journal: Happening[];
  readonly #habits: Habits;
  /** The sessions that can be used. */
  readonly #usable = new Set<string>(sessions);
  /** The sessions that are being opened again, by the call. */
  readonly #reopening = new Map<RequestId, string>();
  /** The calls that have no answer. */
  readonly #open = new Set<RequestId>();
  #count = 0;

  constructor(fetchFrom: typeof fetch, habits: Habits, journal: Happening[]) {
    this.#habits = habits;
    this.#journal = journal;
    this.transport = streamableHttp('http://127.0.0.1/acp', { fetch: fetchFrom });
    void this.transport.ended.then(() => {
      journal.push({ what: 'ended' });
    });
    this.transport.listen({
      onMessage: (message) => this.#take(message),
      onDiagnostic() {},
      onActivity() {},
      onRequestFailed: (id) => {
        journal.push({ what: 'failed', id });
        this.#reopening.delete(id);
        this.#open.delete(id);
      },
      onSessionLost: ({ sessionId, canReturn }) => {
        journal.push({ what: 'lost', sessionId });
        this.#usable.delete(sessionId);
        if (canReturn && habits.reopening !== 'none') this.#reopen(sessionId);
      },
    });
  }

  async open(): Promise<void> {
    let isOpen = false;
    const opening = this.transport.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
    void opening.then(() => {
      isOpen = true;
    });
    // The modules of the transport may have to be loaded first.
    while (!isOpen) await allHappened();
  }

  call(sessionId: string, method: string): void {
    if (this.#usable.has(sessionId)) this.#call(sessionId, method);
  }

  note(sessionId: string): void {
    if (this.#usable.has(sessionId)) this.#send({ method: 'session/cancel', params: { sessionId } });
  }

  /** Withdraws one of the open calls. */
  withdraw(which: number): void {
    const id = [...this.#open][which];
    if (id !== undefined) this.#send({ method: '$/cancel_request', params: { requestId: id } });
  }

  #reopen(sessionId: string): void {
    this.#reopening.set(this.#call(sessionId, this.#habits.reopening), sessionId);
  }

  #call(sessionId: string, method: string): RequestId {
    const id = ++this.#count;
    this.#open.add(id);
    this.#send({ id, method, params: { sessionId } });
    return id;
  }

  #send(message: JsonObject & { readonly params: JsonObject }): void {
    const params = { ...message.params, c: ++this.#count };
    const sent: JsonObject = { jsonrpc: '2.0', ...message, params };
    this.#journal.push({ what: 'sent', message: sent });
    const { id } = message;
    void this.transport.send(sent).catch(() => {
      if (isRequestId(id)) this.#journal.push({ what: 'failed', id });
    });
  }

  #take(message: unknown): void {
    if (!isJsonObject(message)) return;
    const { id, method } = message;
    if (!isRequestId(id) || id === 0) {
      if (id !== 0) this.#journal.push({ what: 'delivered', message });
      return;
    }
    this.#journal.push({ what: 'delivered', message });
    if (method !== undefined) {
      const answer: JsonObject = { jsonrpc: '2.0', id, result: {} };
      this.#journal.push({ what: 'sent', message: answer });
      this.transport.send(answer).catch(() => {});
      return;
    }
    this.#open.delete(id);
    const reopened = this.#reopening.get(id);
    this.#reopening.delete(id);
    if (reopened !== undefined && 'result' in message) this.#usable.add(reopened);
  }
}
