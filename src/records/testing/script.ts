import { errorMessage } from '../../core/base/diagnostic.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/base/json.ts';
import { RequestError } from '../../core/rpc/request-error.ts';
import type { AgentEnd } from '../../core/transport/memory/memory-transport.ts';
import type { ScriptChecks } from './check-script.ts';

/** A message from the client. */
export interface ReceivedMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a script does with a call: a result, or a function that returns one. */
export type ScriptAnswer<Agent> =
  | object
  | null
  | ((params: JsonObject, agent: Agent, id: string | number) => unknown);

/** Returned by an answer function that does not answer. */
export const noAnswer: unique symbol = Symbol('no answer');

/** An agent that follows a script, at the agent's end of any channel. */
export class Script {
  readonly received: ReceivedMessage[] = [];
  readonly channel: AgentEnd;
  readonly #checks: ScriptChecks | undefined;
  readonly #answers = new Map<string, ScriptAnswer<this>>();
  readonly #requests = new Map<ReceivedMessage['id'], (answer: ReceivedMessage) => void>();
  readonly #watchers = new Set<() => void>();
  #nextId = 0;

  constructor(channel: AgentEnd, checks?: ScriptChecks) {
    this.#checks = checks;
    this.channel = channel;
    channel.onLine((line) => this.#receive(line));
  }

  on(method: string, answer: ScriptAnswer<this>): this {
    this.#checks?.answers(method);
    this.#answers.set(method, answer);
    return this;
  }

  calls(method: string): readonly ReceivedMessage[] {
    return this.received.filter((message) => message.method === method);
  }

  update(sessionId: string, ...updates: readonly object[]): void {
    const messages = updates.map((update) => updateMessage(sessionId, update));
    for (const { params } of messages) this.#checks?.message('session/update', params);
    this.channel.send(...messages);
  }

  notify(method: string, params?: object): void {
    this.#checks?.message(method, params);
    this.channel.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  request(method: string, params?: object): Promise<ReceivedMessage> & { readonly id: number } {
    this.#checks?.message(method, params);
    const id = this.#nextId++;
    const answer = new Promise<ReceivedMessage>((resolve) => void this.#requests.set(id, resolve));
    this.channel.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return Object.assign(answer, { id });
  }

  answer(id: string | number, result: unknown): void {
    if (this.#checks) {
      const call = this.received.findLast((message) => message.id === id && message.method !== undefined);
      if (call?.method !== undefined) this.#checks.result(call.method, result, call.params);
    }
    this.channel.send({ jsonrpc: '2.0', id, result });
  }

  async called(method: string, times = 1): Promise<ReceivedMessage> {
    for (;;) {
      const message = this.calls(method)[times - 1];
      if (message) return message;
      await new Promise<void>((resolve) => void this.#watchers.add(resolve));
    }
  }

  #receive(line: string): void {
    const message: ReceivedMessage | undefined = messageOn(line);
    if (!message) return this.#refuse(null, -32700, 'The line is not a JSON object.');
    this.received.push(message);
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
    const { method, id } = message;
    if (method === undefined) {
      this.#requests.get(id)?.(message);
      this.#requests.delete(id);
      return;
    }
    this.#respond(method, message).catch((error: unknown) => {
      // A failing script is an error in the test: report it, and do not let the client wait. A notification has no
      // answer, so the test runner gets the rejection.
      if (id !== undefined) this.#refuse(id, -32603, `The script failed: ${errorMessage(error)}`);
      else if (!(error instanceof RequestError)) throw error;
    });
  }

  async #respond(method: string, { id, params = {} }: ReceivedMessage): Promise<void> {
    const answer = this.#answers.get(method);
    this.#checks?.requested(method, params);
    if (id === undefined) {
      if (typeof answer === 'function') await answer(params, this, '');
      return;
    }
    if (answer === undefined) return this.#refuse(id, -32601, `Method not found: ${method}`);
    try {
      const result = typeof answer === 'function' ? await answer(params, this, id) : answer;
      if (result !== noAnswer) this.answer(id, result ?? null);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#checks?.refused(method, params);
      this.#refuse(id, error.code, error.message, error.data);
    }
  }

  #refuse(id: string | number | null, code: number, message: string, data?: JsonValue): void {
    this.channel.send({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }
}

/**
 * Returns a `session/update` message, to send over the channel.
 *
 * @example
 * ```ts
 * agent.channel.write(`${JSON.stringify(updateMessage('s1', update))}\n`);
 * ```
 */
export function updateMessage(sessionId: string, update: object): JsonObject {
  // What a script sends becomes JSON.
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: update as JsonObject } };
}

/** The message on a line, or `undefined` if it has none. */
function messageOn(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isJsonObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
