import { isJsonObject, type JsonObject } from '../json.ts';
import { readEndMark } from '../trace/ended.ts';
import { readRecord, type TrafficRecord } from '../trace/traffic.ts';
import type { Transport } from '../transport/transport.ts';
import { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './memory-transport.ts';

/** One recorded message: what the client is to send, or what the agent sent. */
interface Step {
  readonly dir: TrafficRecord['dir'];
  readonly message: JsonObject;
  /** What the client's message is told by: its method, or the question that it answers. */
  readonly key: string;
}

/**
 * An agent that says again what it said in a recording: a transport for `connect`. It waits for each call that the
 * recorded client made, told by its method, and answers it with what came then; updates and questions come where
 * they came. So a recording of a failure is a test that fails in the same way.
 *
 * The client need not do exactly the same. A recorded call that it leaves out is passed over once it makes a later
 * one, and a call that is not in the recording is answered with an error that says so. Where the recorded agent ended
 * by itself, this one does, in the same way. Where the recording ends before an answer, the channel does. Times are not kept: everything comes as soon as it is due.
 *
 * @param recording - Records, or their text, one a line. Lines that are no records are passed over.
 * @param options - What goes wrong on the way, as for `memoryTransport`.
 *
 * @example
 * ```ts
 * const connection = await connect(playback(await readFile('trace.ndjson', 'utf8')), { clientInfo });
 * ```
 */
export function playback(
  recording: string | Iterable<TrafficRecord>,
  options: MemoryTransportOptions = {},
): Transport {
  const records = typeof recording === 'string' ? readRecords(recording) : [...recording];
  const { transport, agent } = memoryTransport(options);
  const player = new Player(records.flatMap(stepsOf), agent);
  agent.onLine((line) => player.take(JSON.parse(line)));
  return transport;
}

/** The records of a recording, of which each is a line. Lines that are none are left out. */
export function readRecords(text: string): readonly TrafficRecord[] {
  return text.split('\n').flatMap((line) => readRecord(line) ?? []);
}

class Player {
  readonly #agent: AgentEnd;
  readonly #steps: readonly Step[];
  #next = 0;
  /** The client's id of each recorded call that it has made and that was not answered yet, by the recorded id. */
  readonly #open = new Map<string, unknown>();
  /** Recorded calls that were passed over, by their method; they may still come. */
  readonly #passedOver = new Map<string, string[]>();
  /** Recorded answers to calls that were passed over, by the recorded id. */
  readonly #unclaimed = new Map<string, JsonObject>();

  constructor(steps: readonly Step[], agent: AgentEnd) {
    this.#steps = steps;
    this.#agent = agent;
  }

  take(message: JsonObject): void {
    const key = keyOf(message);
    const place = this.#steps.findIndex(
      (step, index) => index >= this.#next && step.dir === 'out' && step.key === key,
    );
    if (place === -1) this.#takeLate(key, message);
    else {
      this.#playTo(place);
      const { id } = message;
      if (key === message['method'] && id !== undefined) this.#open.set(idOf(this.#steps[place]), id);
      this.#next = place + 1;
    }
    this.#playOn();
  }

  /** Plays what stands before a message of the client's, which leaves out what it should have sent before. */
  #playTo(place: number): void {
    while (this.#next < place) {
      const step = this.#steps[this.#next++] as Step;
      if (step.dir === 'in') this.#send(step);
      else this.#passedOver.set(step.key, [...(this.#passedOver.get(step.key) ?? []), idOf(step)]);
    }
  }

  /** Says what the agent said next, until it is the client's turn. */
  #playOn(): void {
    for (;;) {
      const step = this.#steps[this.#next];
      if (step?.dir === 'out') return;
      if (!step) break;
      this.#next++;
      if (this.#endedWith(step)) return;
      this.#send(step);
    }
    if (this.#open.size > 0) this.#agent.end();
  }

  /** Ends as the recorded agent did, if it did here. Where it goes on, it has only said so. */
  #endedWith({ message }: Step): boolean {
    const following = this.#steps[this.#next];
    const end = following === undefined || following.key === 'initialize' ? readEndMark(message) : undefined;
    if (!end) return false;
    const { exitCode, signal = null } = end;
    if (exitCode === undefined) this.#agent.end();
    else this.#agent.exit({ exitCode, signal });
    return true;
  }

  /** A call that the recording has earlier, or not at all. */
  #takeLate(key: string, { method, id }: JsonObject): void {
    if (id === undefined || method === undefined) return;
    const recordedId = this.#passedOver.get(key)?.shift();
    const answer = recordedId === undefined ? undefined : this.#unclaimed.get(recordedId);
    if (answer) this.#agent.send({ ...answer, id });
    else if (recordedId !== undefined) this.#open.set(recordedId, id);
    else {
      const message = `The recording has no call of ${key} that was not made yet.`;
      this.#agent.send({ jsonrpc: '2.0', id, error: { code: -32603, message } });
    }
  }

  #send(step: Step): void {
    const { message } = step;
    if (message['method'] !== undefined) {
      this.#agent.send(message);
      return;
    }
    const recordedId = idOf(step);
    const id = this.#open.get(recordedId);
    if (id === undefined) this.#unclaimed.set(recordedId, message);
    else this.#agent.send({ ...message, id });
    this.#open.delete(recordedId);
  }
}

function stepsOf({ dir, msg }: TrafficRecord): Step[] {
  const messages: readonly unknown[] = Array.isArray(msg) ? msg : [msg];
  return messages.filter(isJsonObject).map((message) => ({ dir, message, key: keyOf(message) }));
}

function keyOf({ method, id }: JsonObject): string {
  return typeof method === 'string' ? method : `answer to ${JSON.stringify(id)}`;
}

function idOf(step: Step | undefined): string {
  return JSON.stringify(step?.message['id']) ?? '';
}
