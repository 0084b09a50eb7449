import type { Diagnostic } from '../../base/diagnostic.ts';
import {
  type AcpError,
  ConnectionClosedError,
  HttpError,
  MessageTooLargeError,
  TimeoutError,
} from '../../base/errors.ts';
import { isJsonObject, type RequestId } from '../../base/json.ts';
import { delay, settlesWithin } from '../../base/wait.ts';
import { MessagePump, messageIn, skipped } from '../message-pump.ts';
import { defaultMaxMessageBytes, writeMessage } from '../message-text.ts';
import { parseMessage } from '../parse-message.ts';
import type { RemoteTransportOptions } from '../remote-options.ts';
import { maxClosingMs, type Transport, tellFault, transportError } from '../transport.ts';
import { Barriers, barrierMethod } from './barriers.ts';
import { Endpoint } from './endpoint.ts';
import { EventStream, type EventStreamCommons, maxAttempts, readAnswerStream } from './event-stream.ts';
import { endingStatuses } from './http-answers.ts';
import type { HttpClient } from './http-client.ts';
import { type Arrival, Inbox } from './inbox.ts';
import { Leftovers } from './leftovers.ts';
import { OpenCalls } from './open-calls.ts';
import { Outbox } from './outbox.ts';
import { noise, streamBroke, unordered } from './reports.ts';
import {
  idOf,
  methodOf,
  namedSession,
  type OpenRequest,
  openedSession,
  type SessionMethods,
  sessionInUpdate,
} from './routes.ts';
import { SessionStreams } from './session-streams.ts';

/** The loss of one stream is reported after this time: often the connection is lost too, which is one fault and not two. */
const lossDelayMs = 100;

/** A channel over streamable HTTP: a POST for each message of the client, and event streams for those of the agent. */
export class StreamableHttpTransport implements Transport {
  readonly #endpoint: Endpoint;
  readonly #options: RemoteTransportOptions;
  readonly #maxMessageBytes: number;
  readonly #inbox = new Inbox();
  readonly #pump = new MessagePump({ take: () => this.#take(), afterDelivery: () => this.#inbox.makeRoom() });
  readonly ended = this.#pump.ended;
  readonly listen = this.#pump.listen;
  readonly pause = this.#pump.pause;
  readonly resume = this.#pump.resume;
  readonly #outbox = new Outbox();
  readonly #barriers: Barriers;
  readonly #streams: SessionStreams;
  readonly #methods: SessionMethods;
  readonly #calls: OpenCalls;
  readonly #leftovers: Leftovers;
  /** The sessions on whose streams the agent's requests came. Their answers name them. */
  readonly #agentRequests = new Map<RequestId, string | undefined>();
  /** The sessions with a broken stream that are not reported as lost yet. */
  readonly #losing = new Set<string>();
  readonly #ending = new AbortController();
  /** The event streams that answer a POST. */
  readonly #answerStreams = new Set<EventStream>();
  #connectionStream: EventStream | undefined;
  #closing: Promise<void> | undefined;

  constructor(client: HttpClient, options: RemoteTransportOptions, methods: SessionMethods) {
    this.#options = options;
    this.#methods = methods;
    this.#calls = new OpenCalls(methods);
    this.#leftovers = new Leftovers(methods.sessionUpdate);
    this.#endpoint = new Endpoint(client, options, this.#ending.signal);
    this.#maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.#barriers = new Barriers({
      ask: (id, sessionId) => void this.#askForOrder(id, sessionId),
      release: (message) => this.#add({ type: 'held', message }),
      onUnordered: (reason) => this.#report(unordered(reason)),
    });
    this.#streams = new SessionStreams((sessionId) => ({
      ...this.#streamParts(sessionId),
      onMessage: (text) => {
        this.#barriers.arrived(sessionId);
        this.#add({ type: 'text', text, stream: sessionId });
      },
      onBreak: (error, delayMs) => this.#report(streamBroke(`the session ${sessionId}`, error, delayMs)),
      onLost: (error, openedAt) => this.#sessionStreamLost(sessionId, error, openedAt !== undefined),
    }));
  }

  get queuedBytes(): number {
    return this.#outbox.queuedBytes;
  }

  async send(message: object): Promise<void> {
    const body = writeMessage(message);
    if (this.#ending.signal.aborted || this.#closing) {
      throw new ConnectionClosedError('The connection to the server has ended. Connect again.');
    }
    const id = idOf(message);
    const method = methodOf(message);
    if (method === undefined && id !== undefined) {
      const sessionId = this.#agentRequests.get(id);
      this.#agentRequests.delete(id);
      return this.#outbox.addAnswer(body, () => this.#post(body, sessionId, undefined));
    }
    const row = this.#calls.rowOf(message);
    const request = this.#calls.add(message);
    const sessionId = namedSession(message);
    return this.#outbox.add(row, body, () =>
      request?.method === this.#methods.initialize
        ? this.#initialize(body, request)
        : this.#post(body, sessionId, request),
    );
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  confirmEnd(signal: AbortSignal): Promise<void> {
    return this.#endpoint.confirmEnd(signal);
  }

  async #close(): Promise<void> {
    // What was sent before reaches the server before the end does.
    await settlesWithin(this.#outbox.settled(), maxClosingMs);
    await settlesWithin(this.#endpoint.leave(), maxClosingMs);
    this.#end();
  }

  async #initialize(body: string, request: OpenRequest): Promise<void> {
    // Each initialize makes a connection. An earlier one was not accepted.
    this.#connectionStream?.close();
    void this.#endpoint.leave();
    try {
      const { text, isRefusal } = await this.#endpoint.initialize(body);
      // The connection that was made meanwhile ends too.
      if (this.#ending.signal.aborted) return this.#end();
      if (!isRefusal) this.#openConnectionStream();
      this.#add({ type: 'text', text, stream: undefined });
    } catch (error) {
      this.#calls.take(request.id);
      this.#end(transportError(error));
    }
  }

  /** Sends one message of the client. Never rejects: a failure fails the call, or ends the channel. */
  async #post(body: string, sessionId: string | undefined, request: OpenRequest | undefined): Promise<void> {
    const what = request?.method ?? (sessionId === undefined ? 'a message' : `a message of the session`);
    const attaching = request?.session === 'attaches' ? request : undefined;
    const isOver = () =>
      this.#ending.signal.aborted || (request !== undefined && !this.#calls.has(request.id));
    try {
      if (isOver()) return;
      if (sessionId !== undefined && attaching) {
        await this.#leftovers.skip(sessionId, attaching, (marker) =>
          this.#barriers.hold(marker, [sessionId]),
        );
      }
      // What the server kept for a lost session comes to the call that opens the session again.
      if (sessionId !== undefined && (request ? !isOver() : !this.#leftovers.has(sessionId))) {
        await this.#streams.openSoon(sessionId);
      }
      if (sessionId !== undefined && attaching) this.#leftovers.end(sessionId);
      if (isOver()) return;
      await this.#sendNow(what, body, sessionId, request);
      if (sessionId !== undefined && attaching && !isOver()) this.#streams.open(sessionId);
    } catch (error) {
      this.#postFailed(transportError(error), sessionId, request);
    }
  }

  async #sendNow(
    what: string,
    body: string,
    sessionId: string | undefined,
    request?: OpenRequest,
  ): Promise<void> {
    const answer = await this.#endpoint.send(what, body, sessionId);
    if (typeof answer !== 'string') return this.#readAnswers(answer, sessionId, request);
    // Some servers answer at once. Most send the answer on a stream.
    if (typeof parseMessage(answer) !== 'string')
      this.#add({ type: 'text', text: answer, stream: undefined });
  }

  #readAnswers(answer: Response, sessionId: string | undefined, request: OpenRequest | undefined): void {
    const stream = readAnswerStream(answer, {
      ...this.#streamParts(sessionId),
      onMessage: (text) => this.#add({ type: 'text', text, stream: sessionId }),
      onEnd: ({ error, broughtEvents }) => {
        this.#answerStreams.delete(stream);
        // Without events, the answer comes on the stream of the session.
        if (!request || !broughtEvents || !this.#calls.take(request.id)) return;
        this.#add({ type: 'callFailed', id: request.id, error });
      },
    });
    this.#answerStreams.add(stream);
  }

  #postFailed(error: AcpError, sessionId: string | undefined, request: OpenRequest | undefined): void {
    const status = error instanceof HttpError ? error.status : undefined;
    if (status === 409 && sessionId !== undefined) {
      const root = this.#streams.rootOf(sessionId);
      // Its loss is known already, and the call that opens it again may be waiting for this message.
      if (!request && this.#leftovers.has(root)) return;
      return this.#loseSession(root, error, false);
    }
    if (!request || !concernsCall(error)) return this.#end(error);
    if (this.#calls.take(request.id)) this.#add({ type: 'callFailed', id: request.id, error });
  }

  /** Asks the agent for an answer that can only arrive after everything that it sent before. */
  async #askForOrder(id: string, sessionId: string): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: barrierMethod, params: { sessionId } });
    try {
      await this.#streams.openSoon(sessionId);
      await this.#sendNow('a message of the session', body, sessionId);
    } catch (error) {
      if (concernsCall(error)) this.#barriers.refused(id);
      else this.#end(transportError(error));
    }
  }

  #streamParts(sessionId: string | undefined): EventStreamCommons {
    return {
      open: (headers, signal) => this.#endpoint.openStream(sessionId, headers, signal),
      whenRoom: () => this.#inbox.whenRoom(),
      onActivity: () => this.#pump.listener?.onActivity(),
      onNoise: (text) => this.#report(noise('that is not part of an event', text)),
      idleTimeoutMs: this.#options.idleTimeoutMs,
      maxMessageBytes: this.#maxMessageBytes,
    };
  }

  #openConnectionStream(): void {
    this.#connectionStream = new EventStream({
      ...this.#streamParts(undefined),
      onMessage: (text) => this.#add({ type: 'text', text, stream: undefined }),
      onBreak: (error, delayMs) => this.#report(streamBroke('the connection', error, delayMs)),
      onLost: (error) => this.#end(error),
    });
  }

  #sessionStreamLost(sessionId: string, error: AcpError, wasOpen: boolean): void {
    // The server may know the session only when it has answered.
    if (!wasOpen && this.#calls.isAttaching(sessionId)) return;
    const status = error instanceof HttpError ? error.status : undefined;
    if (error instanceof MessageTooLargeError || status === 401) return this.#end(error);
    if (this.#streams.breaksOf(sessionId) > maxAttempts) return this.#end(error);
    const root = this.#streams.rootOf(sessionId);
    // The streams of a session and of its subagents often break together, which is one loss.
    this.#losing.add(root);
    void delay(lossDelayMs, this.#ending.signal).then(() => {
      if (this.#losing.has(root)) this.#loseSession(root, error, status !== 409);
    });
  }

  /** Tells that the messages of a session that the client opened no longer arrive. */
  #loseSession(sessionId: string, error: AcpError, canReturn: boolean): void {
    this.#losing.delete(sessionId);
    this.#streams.close(sessionId);
    this.#leftovers.add(sessionId);
    const fail = (id: RequestId | undefined) => {
      if (id !== undefined) this.#add({ type: 'callFailed', id, error });
    };
    for (const message of this.#barriers.drop(sessionId)) fail(idOf(message));
    const open = this.#calls.detach(sessionId);
    for (const call of open) if (call.session === 'attaches') fail(call.id);
    // A turn ends because the session is lost, and not because its prompt fails.
    this.#add({ type: 'sessionLost', sessionId, error, canReturn });
    for (const call of open) if (call.session !== 'attaches') fail(call.id);
  }

  #add(arrival: Arrival): void {
    if (this.#ending.signal.aborted) return;
    this.#inbox.add(arrival);
    this.#pump.run();
  }

  #take(): unknown {
    const arrival = this.#inbox.take();
    if (!arrival) return undefined;
    const taken = this.#takeArrival(arrival);
    const isAnswer = isJsonObject(taken) && methodOf(taken) === undefined;
    const call = arrival.type === 'callFailed' ? arrival.id : isAnswer ? idOf(taken) : undefined;
    for (const message of this.#leftovers.after(call)) this.#inbox.add({ type: 'held', message });
    return taken;
  }

  #takeArrival(arrival: Arrival): unknown {
    switch (arrival.type) {
      case 'text':
        return this.#read(arrival.text, arrival.stream);
      case 'held':
        return this.#leftovers.take(arrival.message, undefined) ? skipped : arrival.message;
      case 'callFailed':
      case 'sessionLost':
        if (this.#pump.listener) tellFault(this.#pump.listener, arrival);
        return skipped;
    }
  }

  #read(text: string, stream: string | undefined): unknown {
    const message = messageIn(text, (defect) => this.#report(noise(defect, text)));
    if (message === skipped) return skipped;
    if (!Array.isArray(message)) return this.#readOne(message, stream);
    const delivered = message
      .map((one: unknown) => (isJsonObject(one) ? this.#readOne(one, stream) : one))
      .filter((one) => one !== skipped);
    return delivered.length === 0 ? skipped : delivered;
  }

  #readOne(message: object, stream: string | undefined): unknown {
    return methodOf(message) === undefined
      ? this.#readAnswer(message, stream)
      : this.#readCall(message, stream);
  }

  #readCall(message: object, stream: string | undefined): unknown {
    const id = idOf(message);
    const sessionId = namedSession(message) ?? stream;
    // Also for one that is delivered later.
    if (id !== undefined) this.#agentRequests.set(id, sessionId);
    if (this.#leftovers.take(message, stream)) return skipped;
    const subagent = sessionInUpdate(message, this.#methods.subagentUpdate);
    if (subagent !== undefined && sessionId !== undefined) this.#streams.addSubagent(sessionId, subagent);
    return message;
  }

  /** Returns the answer, or {@link skipped} if messages that the agent sent before it may still arrive. */
  #readAnswer(message: object, stream: string | undefined): unknown {
    const id = idOf(message);
    const passed = this.#barriers.takeAnswer(id, stream);
    if (passed) return passed.find((held) => !this.#leftovers.take(held, undefined)) ?? skipped;
    const request = this.#calls.take(id);
    if (!request) return message;
    const sessionId = openedSession(message) ?? request.sessionId;
    if (sessionId === undefined) return message;
    const isSuccess = 'result' in message;
    if (isSuccess) this.#calls.succeeded(request, sessionId);
    const isAttached = this.#calls.isAttached(this.#streams.rootOf(sessionId));
    if (!isAttached && !this.#calls.isAttaching(sessionId)) this.#streams.close(sessionId);
    if (!isSuccess || !isAttached) return message;
    const isElsewhere = stream !== sessionId;
    const late = [...(isElsewhere ? [sessionId] : []), ...this.#streams.subagentsOf(sessionId)];
    if (isElsewhere && !this.#streams.open(sessionId)) return message;
    if (late.length === 0) return message;
    this.#barriers.hold(message, late);
    return skipped;
  }

  #end(error?: AcpError): void {
    // Also after a refusal: a proxy may have sent it, and the server's agent would work on, beside the next one.
    void this.#endpoint.leave();
    if (this.#ending.signal.aborted) return;
    if (error && !this.#closing) this.#pump.error = error;
    this.#ending.abort();
    this.#barriers.clear();
    this.#leftovers.clear();
    this.#connectionStream?.close();
    for (const stream of this.#answerStreams) stream.close();
    this.#streams.closeAll();
    this.#pump.end();
  }

  #report(diagnostic: Diagnostic): void {
    this.#pump.listener?.onDiagnostic(diagnostic);
  }
}

/** Whether a failed request says nothing of the connection. */
function concernsCall(error: unknown): boolean {
  return error instanceof HttpError ? !endingStatuses.has(error.status) : error instanceof TimeoutError;
}
