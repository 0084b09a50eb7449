import type { TrafficRecord } from '../../core/trace/traffic.ts';
import type { Transport } from '../../core/transport/transport.ts';
import { itemsOf, type RecordedTraffic, recordOf } from './record-traffic.ts';
import { RecordedAgent, recordedChannel } from './recorded-agent.ts';
import { messagesOf, withoutToolTraffic } from './recorded-message.ts';

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
