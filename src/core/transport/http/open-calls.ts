import { isRequestId, type RequestId } from '../../base/json.ts';
import { idOf, methodOf, namedSession, type OpenRequest, paramsOf, type SessionMethods } from './routes.ts';

/** The calls of the client that have no answer, and the sessions that the connection has because of earlier ones. */
export class OpenCalls {
  readonly #methods: SessionMethods;
  readonly #calls = new Map<RequestId | undefined, OpenRequest>();
  /** The sessions of the connection. A call can name another one, for example to delete it. */
  readonly #attached = new Set<string>();

  constructor(methods: SessionMethods) {
    this.#methods = methods;
  }

  /** Notes a message that is sent. Returns the call, if it is one. */
  add(message: object): OpenRequest | undefined {
    const id = idOf(message);
    if (id === undefined) return undefined;
    const method = methodOf(message) ?? '';
    const { calls } = this.#methods;
    const { session, replays } = (Object.hasOwn(calls, method) && calls[method]) || {};
    const isReplay = replays?.(paramsOf(message)) === true;
    const call = { id, method, sessionId: namedSession(message), session, isReplay };
    this.#calls.set(id, call);
    return call;
  }

  /** The messages with which the order of a message counts: those of a session, or `''` for those of the connection. */
  rowOf(message: object): string {
    const { requestId } = paramsOf(message);
    // What withdraws a call comes after it.
    const isWithdrawal = methodOf(message) === this.#methods.cancelRequest && isRequestId(requestId);
    return (isWithdrawal ? this.#calls.get(requestId)?.sessionId : namedSession(message)) ?? '';
  }

  has(id: RequestId): boolean {
    return this.#calls.has(id);
  }

  /** Takes a call that is over. */
  take(id: RequestId | undefined): OpenRequest | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** Notes what the success of a call means for its session. */
  succeeded(call: OpenRequest, sessionId: string): void {
    if (call.session === 'ends') this.#attached.delete(sessionId);
    else if (call.session) this.#attached.add(sessionId);
  }

  isAttached(sessionId: string): boolean {
    return this.#attached.has(sessionId);
  }

  /** Whether a call is under way after which the server knows the session. */
  isAttaching(sessionId: string): boolean {
    return this.#of(sessionId).some(({ session }) => session === 'attaches');
  }

  /** The session no longer belongs to the connection. Returns its calls, which get no answer. */
  detach(sessionId: string): readonly OpenRequest[] {
    this.#attached.delete(sessionId);
    const calls = this.#of(sessionId);
    for (const { id } of calls) this.#calls.delete(id);
    return calls;
  }

  #of(sessionId: string): readonly OpenRequest[] {
    return [...this.#calls.values()].filter((call) => call.sessionId === sessionId);
  }
}
