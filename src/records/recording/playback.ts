import type { AcpError } from '../../core/base/errors.ts';
import { isJsonObject, isRequestId, type JsonObject } from '../../core/base/json.ts';
import { type RecordedEnd, readChannelNote } from '../../core/trace/notes.ts';
import type { TrafficRecord } from '../../core/trace/traffic.ts';
import { memoryTransport } from '../../core/transport/memory/memory-transport.ts';
import { type ChannelFault, type Transport, tellFault } from '../../core/transport/transport.ts';
import { itemsOf, type RecordedTraffic, recordOf } from './record-traffic.ts';
import {
  endAt,
  idKey,
  messagesOf,
  type RecordedMessage,
  sessionIdOf,
  withoutToolTraffic,
} from './recorded-message.ts';

/**
 * Returns an agent that sends the messages of a recording: a transport for `connect`. It waits for each call of the
 * recorded client, identified by its method, and sends the recorded answer. Updates and requests have the same position
 * as in the recording. A recording of a failure becomes a test that fails in the same way.
 *
 * The client can differ from the recorded one. If it makes a later call first, the recorded calls before it are
 * skipped. A call that is not in the recording is answered with an error that says so. If the recorded agent crashed,
 * this agent crashes at the same position and in the same way. If the recording ends before an answer, the channel
 * ends. The times of the recording are not used: each message is sent as soon as possible. Where the client gives
 * another id to a terminal, the agent uses that id.
 *
 * Tools of the editor do not run again: what they returned is in the recording. Requests of the agent to an MCP server
 * of the editor over the connection are sent, and are answered with an error, because the server has another id now. The
 * agent does not wait for the answer.
 *
 * @param recording - The text of a recording, its lines, or its records: {@link RecordedTraffic}. Lines that are not
 *   records are skipped.
 *
 * @example
 * ```ts
 * const connection = await connect(playback(await readFile('trace.ndjson', 'utf8')), { clientInfo });
 * ```
 */
export function playback(recording: RecordedTraffic): Transport {
  const channel = recordedChannel();
  const messages = readRecords(recording).flatMap(messagesOf);
  const recorded = new RecordedAgent(withoutToolTraffic(messages), channel);
  channel.agent.onLine((line) => recorded.receive(JSON.parse(line)));
  return channel.transport;
}

/** Returns the records of a recording with one record per line. Lines that are not records are skipped. */
export function readRecords(recording: RecordedTraffic): readonly TrafficRecord[] {
  return [...itemsOf(recording)].flatMap((item) => recordOf(item) ?? []);
}

/** What a client's message is recognized by: its method, or the request that it answers. */
function keyOf({ method, id }: JsonObject): string {
  return typeof method === 'string' ? method : `answer to ${idKey(id)}`;
}

/**
 * The agent's side of a recording, at one end of a channel. It finds the recorded message for each message of the
 * client at hand, and sends recorded answers with the ids that this client has given to its requests.
 */
class RecordedAgent {
  readonly #messages: readonly RecordedMessage[];
  /** The index of the first message that is still to come. */
  #next = 0;
  readonly #channel: RecordedChannel;
  /** The client's recorded messages that the client at hand has not sent, as indexes, by their key. */
  readonly #unsent = new Map<string, number[]>();
  /** The id of each open request from the client at hand, by the recorded id. */
  readonly #open = new Map<string, unknown>();
  /** Recorded answers to requests that the client at hand has not made, by the recorded id. */
  readonly #unclaimed = new Map<string, JsonObject>();
  /** The ids of the terminals of the client at hand, by the recorded id. */
  readonly #terminalIds = new Map<unknown, unknown>();

  constructor(messages: readonly RecordedMessage[], channel: RecordedChannel) {
    this.#messages = messages;
    this.#channel = channel;
    for (const [index, { dir, message }] of messages.entries()) {
      if (dir === 'in') continue;
      const indexes = this.#unsent.get(keyOf(message));
      if (indexes) indexes.push(index);
      else this.#unsent.set(keyOf(message), [index]);
    }
  }

  /** Takes a message of the client, which sets the pace: what the recording has before it is skipped. */
  receive(message: JsonObject): void {
    const index = this.#find(message);
    if (index === undefined) this.#refuse(message);
    else {
      while (this.#next < index) this.#pass();
      this.#take(message, index);
      if (this.#next === index) this.#next++;
    }
    this.#playOn();
  }

  /** Sends what the agent sent next, until it is the client's turn. */
  #playOn(): void {
    for (let next = this.#messages[this.#next]; next; next = this.#messages[this.#next]) {
      if (next.dir === 'out') return;
      const end = endAt(next, this.#messages[this.#next + 1]);
      if (end) return this.#end(end);
      this.#pass();
    }
    // The client waits for an answer that is not in the recording.
    if (this.#open.size > 0) this.#end({});
  }

  /** Skips the next message, which can be a message from the client. */
  #pass(): void {
    const passed = this.#messages[this.#next++];
    if (passed?.dir === 'in') this.#send(passed.message);
  }

  /**
   * The recorded message that the client sends now, as its index. One that is still to come is preferred to one that
   * was skipped, and one of the same session to one of another.
   */
  #find(message: JsonObject): number | undefined {
    const indexes = this.#unsent.get(keyOf(message)) ?? [];
    const sessionId = sessionIdOf(message);
    const isOfSession = (index: number) => {
      const recorded = this.#messages[index];
      return recorded !== undefined && sessionIdOf(recorded.message) === sessionId;
    };
    return (
      indexes.find((index) => index >= this.#next && isOfSession(index)) ??
      indexes.find((index) => index >= this.#next) ??
      indexes.find(isOfSession) ??
      indexes[0]
    );
  }

  /** Treats a message from the client as the recorded message at `index`. */
  #take(message: JsonObject, index: number): void {
    const { method, id } = message;
    const recorded = this.#messages[index];
    if (!recorded) return;
    const indexes = this.#unsent.get(keyOf(recorded.message)) ?? [];
    indexes.splice(indexes.indexOf(index), 1);
    if (method === undefined) this.#noteTerminal(recorded.message, message);
    if (method === undefined || id === undefined) return;
    const recordedId = idKey(recorded.message['id']);
    // Only a request that was skipped can have its answer before it.
    const answer = index < this.#next ? this.#unclaimed.get(recordedId) : undefined;
    this.#unclaimed.delete(recordedId);
    if (answer) this.#answer(answer, id);
    else this.#open.set(recordedId, id);
  }

  /** Answers a request that is not in the recording with an error that says so. */
  #refuse({ method, id }: JsonObject): void {
    if (method === undefined || id === undefined) return;
    const message = `The recording has no further call of ${method}.`;
    this.#channel.agent.send({ jsonrpc: '2.0', id, error: { code: -32603, message } });
  }

  /** Sends a recorded message from the agent. An answer waits for its request. */
  #send(message: JsonObject): void {
    const fault = readChannelNote(message);
    if (fault?.type === 'sessionLost') {
      return this.#channel.fail(fault);
    }
    if (message['method'] !== undefined && !fault) {
      return this.#channel.agent.send(this.#withTerminalIds(message));
    }
    const recordedId = idKey(fault?.id ?? message['id']);
    if (this.#open.has(recordedId)) this.#answer(message, this.#open.get(recordedId));
    else this.#unclaimed.set(recordedId, message);
    this.#open.delete(recordedId);
  }

  /** Settles a request of the client at hand as the recorded one was: with an answer, or without one. */
  #answer(recorded: JsonObject, id: unknown): void {
    const fault = readChannelNote(recorded);
    if (fault?.type !== 'callFailed') this.#channel.agent.send({ ...recorded, id });
    else if (isRequestId(id)) this.#channel.fail({ ...fault, id });
  }

  /** A client gives its own ids to the terminals that the agent asks for. */
  #noteTerminal(recorded: JsonObject, given: JsonObject): void {
    const [recordedId, givenId] = [recorded, given].map(({ result }) =>
      isJsonObject(result) ? result['terminalId'] : undefined,
    );
    if (typeof recordedId === 'string' && typeof givenId === 'string' && recordedId !== givenId) {
      this.#terminalIds.set(recordedId, givenId);
    }
  }

  #withTerminalIds(message: JsonObject): JsonObject {
    if (this.#terminalIds.size === 0) return message;
    const given = (key: string, value: unknown) =>
      key === 'terminalId' ? (this.#terminalIds.get(value) ?? value) : value;
    // The values of JSON are kept.
    return JSON.parse(JSON.stringify(message), given) as JsonObject;
  }

  /** Ends as the recorded agent did. */
  #end({ exitCode, signal = null, error }: RecordedEnd): void {
    if (exitCode !== undefined) this.#channel.agent.exit({ exitCode, signal });
    else if (error) this.#channel.break(error);
    else this.#channel.agent.end();
  }
}

export type RecordedChannel = ReturnType<typeof recordedChannel>;

/** Stands for a fault among the messages, so that it keeps its place. */
const method = '$/recorded_fault';

/** A channel in memory that can lose a call or a session and go on, as one to a remote agent can. */
export function recordedChannel() {
  const { transport, agent } = memoryTransport();
  /** The faults that have not happened, by their number. An agent cannot cause one that is not among them. */
  const faults = new Map<unknown, ChannelFault>();
  let count = 0;
  let breakage: AcpError | undefined;
  const take = (message: unknown) => {
    const key = isJsonObject(message) && message['method'] === method ? message['params'] : undefined;
    const fault = faults.get(key);
    faults.delete(key);
    return fault;
  };
  return {
    transport: {
      ...transport,
      listen: (listener) =>
        transport.listen({
          onMessage(message) {
            const fault = take(message);
            if (fault) tellFault(listener, fault);
            else listener.onMessage(message);
          },
          onDiagnostic: listener.onDiagnostic,
          onActivity: () => listener.onActivity(),
        }),
      get queuedBytes() {
        return transport.queuedBytes;
      },
      ended: transport.ended.then((end) => (breakage ? { ...end, error: breakage } : end)),
    } satisfies Transport,
    agent,
    /** Lets the fault happen, after everything that the agent has sent. */
    fail(fault: ChannelFault): void {
      faults.set(++count, fault);
      agent.send({ jsonrpc: '2.0', method, params: count });
    },
    /** Ends the channel with an error, after everything that the agent has sent. */
    break(error: AcpError): void {
      breakage = error;
      agent.end();
    },
  };
}
