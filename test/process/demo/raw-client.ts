import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { buildDemoAgent } from '../../support/build-demo-agent.ts';

export interface Exchange {
  /** The method that a response answers. */
  readonly method?: string;
  readonly message: JsonObject;
}

export interface Exit {
  readonly code: number | null;
  readonly stderr: string;
  /** What came after the last end of a line. */
  readonly rest: string;
}

/** A client of the demo agent's that knows lines and JSON, and nothing of this library. */
export class RawClient implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #methods = new Map<JsonValue | undefined, string>();
  readonly #watchers = new Set<() => void>();
  readonly #exited: Promise<Exit>;
  #rest = '';
  #nextId = 1;

  /** All the agent wrote, in order. */
  readonly received: Exchange[] = [];
  /** Answers the agent's requests; `undefined` leaves one open. */
  answer: (request: JsonObject) => JsonObject | undefined = () => undefined;

  static async start(...args: readonly string[]): Promise<RawClient> {
    return new RawClient(await buildDemoAgent(), args);
  }

  private constructor(program: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [program, ...args]);
    let stderr = '';
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    this.#child.stdin.on('error', () => {}); // the agent may be gone
    this.#exited = once(this.#child, 'close').then(([code]) => {
      for (const watcher of this.#watchers) watcher();
      return { code: code as number | null, stderr, rest: this.#rest };
    });
  }

  writeLine(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  notify(method: string, params: JsonObject): void {
    this.writeLine(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a request without waiting for its answer. */
  send(method: string, params: JsonValue): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#methods.set(id, method);
    this.writeLine(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return id;
  }

  response(id: number): Promise<JsonObject> {
    return this.waitFor((message) => message['id'] === id && !('method' in message));
  }

  /** The result; throws where the answer is an error. */
  async request(method: string, params: JsonValue): Promise<JsonObject> {
    const { result, error } = await this.response(this.send(method, params));
    if (!isJsonObject(result)) throw new Error(`${method} was answered with ${JSON.stringify(error)}`);
    return result;
  }

  /** The error; throws where the answer is a result. */
  async refused(method: string, params: JsonValue): Promise<JsonObject> {
    const { result, error } = await this.response(this.send(method, params));
    if (!isJsonObject(error)) throw new Error(`${method} was answered with ${JSON.stringify(result)}`);
    return error;
  }

  /** The first message, among those that came and those that will, that is meant. */
  async waitFor(isMeant: (message: JsonObject) => boolean): Promise<JsonObject> {
    for (let next = 0; ; ) {
      for (; next < this.received.length; next += 1) {
        const message = this.received[next]?.message;
        if (message && isMeant(message)) return message;
      }
      if (this.#child.stdout.closed) throw new Error('The agent ended without it');
      await this.#change();
    }
  }

  /** The `update` of each notification about a session, from the message at `start` on. */
  updates(sessionId: string, start = 0): JsonObject[] {
    return this.received.slice(start).flatMap(({ message: { method, params } }) => {
      if (method !== 'session/update' || !isJsonObject(params) || params['sessionId'] !== sessionId)
        return [];
      return isJsonObject(params['update']) ? [params['update']] : [];
    });
  }

  pauseReading(): void {
    this.#child.stdout.pause();
  }

  resumeReading(): void {
    this.#child.stdout.resume();
  }

  exit(): Promise<Exit> {
    return this.#exited;
  }

  /** Closes the agent's stdin, and waits for it to end. */
  end(): Promise<Exit> {
    this.#child.stdin.end();
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #read(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#receive(JSON.parse(line));
    for (const watcher of this.#watchers) watcher();
  }

  #receive(message: JsonObject): void {
    const { id, method } = message;
    if (typeof method === 'string') {
      this.received.push({ message });
      const result = id === undefined ? undefined : this.answer(message);
      if (result) this.writeLine(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else {
      const answered = this.#methods.get(id);
      this.received.push({ message, ...(answered && { method: answered }) });
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
    });
  }
}
