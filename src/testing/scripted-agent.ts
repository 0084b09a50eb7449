import { errorMessage } from '../diagnostic.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { DialectName } from '../protocol/dialect.ts';
import { RequestError } from '../rpc/request-error.ts';
import type { Transport } from '../transport/transport.ts';
import { type ScriptChecks, scriptChecks } from './check-script.ts';
import { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './memory-transport.ts';

/** A message that the client sent. */
export interface ReceivedMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * What an agent does with a call: the result it answers with, or a function that gives it. A function may send
 * updates and requests first; a `RequestError` it throws is the answer; {@link silence} is none.
 */
export type Answer =
  | JsonObject
  | null
  | ((params: JsonObject, agent: ScriptedAgent, id: string | number) => unknown);

/** Returned by an {@link Answer} that does not answer. */
export const silence: unique symbol = Symbol('no answer');

/** How a scripted agent is held to the protocol, and what goes wrong on the way from it. */
export interface ScriptedAgentOptions extends MemoryTransportOptions {
  /**
   * Holds every word of the script against what this dialect says. What is wrong throws where it is sent, and in an
   * answer fails the client's call; either says what and why. Default: nothing is checked.
   */
  readonly validate?: DialectName;
}

/**
 * An agent whose every word is written in the test. What the client calls and the script does not name is answered
 * with error -32601.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent()
 *   .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
 *   .on('session/new', { sessionId: 's1' })
 *   .on('session/prompt', async (_, agent) => {
 *     agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello.' } });
 *     return { stopReason: 'end_turn' };
 *   });
 * const connection = await connect(agent.transport, { clientInfo: { name: 'test', version: '0' } });
 * ```
 */
export class ScriptedAgent {
  /** What the client connects to. */
  readonly transport: Transport;
  /** Everything the client sent, in order. */
  readonly received: ReceivedMessage[] = [];
  /** The other end of the channel, for what a well-behaved agent would not do. */
  readonly channel: AgentEnd;
  readonly #checks: ScriptChecks | undefined;
  readonly #answers = new Map<string, Answer>();
  readonly #open = new Map<number, (answer: ReceivedMessage) => void>();
  readonly #watchers = new Set<() => void>();
  #nextId = 0;

  /** @internal Use `scriptedAgent`. */
  constructor({ validate, ...options }: ScriptedAgentOptions = {}) {
    this.#checks = validate && scriptChecks(validate);
    const { transport, agent } = memoryTransport(options);
    this.transport = transport;
    this.channel = agent;
    agent.onLine((line) => this.#take(JSON.parse(line)));
  }

  /** Says how a method is answered. The last word on a method counts. */
  on(method: string, answer: Answer): this {
    this.#answers.set(method, answer);
    return this;
  }

  /** The messages with which the client called this method. */
  calls(method: string): readonly ReceivedMessage[] {
    return this.received.filter((message) => message.method === method);
  }

  /** Sends updates of a session, in one chunk. */
  update(sessionId: string, ...updates: readonly object[]): void {
    const messages = updates.map((update) => updateMessage(sessionId, update));
    for (const { params } of messages) this.#checks?.message('session/update', params);
    this.channel.send(...messages);
  }

  /** Sends a notification. */
  notify(method: string, params?: JsonObject): void {
    this.#checks?.message(method, params);
    this.channel.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Calls the client, and gives its whole answer, result or error. */
  request(method: string, params?: JsonObject): Promise<ReceivedMessage> & { readonly id: number } {
    this.#checks?.message(method, params);
    const id = this.#nextId++;
    const answer = new Promise<ReceivedMessage>((resolve) => {
      this.#open.set(id, resolve);
    });
    this.channel.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return Object.assign(answer, { id });
  }

  /** Answers a call that the script left open. */
  answer(id: string | number, result: unknown): void {
    const call = this.received.findLast((message) => message.id === id && message.method !== undefined);
    if (call?.method !== undefined) this.#checks?.result(call.method, result);
    this.channel.send({ jsonrpc: '2.0', id, result });
  }

  /** Waits until the client has called this method so many times, and gives the last of these messages. */
  async called(method: string, times = 1): Promise<ReceivedMessage> {
    for (;;) {
      const message = this.calls(method)[times - 1];
      if (message) return message;
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }

  #take(message: ReceivedMessage): void {
    this.received.push(message);
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const watcher of watchers) watcher();
    const { method, id } = message;
    if (method === undefined) {
      if (typeof id !== 'number') return;
      const resolve = this.#open.get(id);
      this.#open.delete(id);
      resolve?.(message);
      return;
    }
    this.#respond(method, message).catch((error: unknown) => {
      // A script that fails is a broken test: it must be seen, and the client must not wait.
      if (id !== undefined) this.#refuse(id, -32603, `The script failed: ${errorMessage(error)}`);
    });
  }

  async #respond(method: string, { id, params = {} }: ReceivedMessage): Promise<void> {
    const answer = this.#answers.get(method);
    if (id === undefined) {
      if (typeof answer === 'function') await answer(params, this, '');
      return;
    }
    if (answer === undefined) return this.#refuse(id, -32601, `Method not found: ${method}`);
    try {
      const result = typeof answer === 'function' ? await answer(params, this, id) : answer;
      if (result !== silence) this.answer(id, result ?? null);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#refuse(id, error.code, error.message, error.data);
    }
  }

  #refuse(id: string | number, code: number, message: string, data?: unknown): void {
    this.channel.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }
}

/**
 * Creates a {@link ScriptedAgent}.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent({ validate: 'v1' });
 * ```
 */
export function scriptedAgent(options: ScriptedAgentOptions = {}): ScriptedAgent {
  return new ScriptedAgent(options);
}

/**
 * A `session/update` message, to be sent over the channel.
 *
 * @example
 * ```ts
 * agent.channel.write(`${JSON.stringify(updateMessage('s1', update))}\n`);
 * ```
 */
export function updateMessage(sessionId: string, update: object): JsonObject {
  const message: unknown = { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
  if (!isJsonObject(message)) throw new TypeError('unreachable: the message was just written');
  return message;
}
