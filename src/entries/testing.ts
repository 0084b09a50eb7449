/**
 * The test kit: agents that follow a script, channels in memory, and recordings of the traffic.
 *
 * Level: stable.
 *
 * @packageDocumentation
 */

export { type AgentEnd, memoryTransport } from '../core/transport/memory/memory-transport.ts';
export { type FoldedTraffic, foldTraffic } from '../records/recording/fold-traffic.ts';
export { playback, readRecords } from '../records/recording/playback.ts';
export { type RecordedTraffic, type Recording, recordTraffic } from '../records/recording/record-traffic.ts';
export { transcriptOf } from '../records/recording/transcript-of.ts';
export {
  type Answer,
  noAnswer,
  type ReceivedMessage,
  type ScriptedAgent,
  scriptedAgent,
  updateMessage,
} from '../records/testing/scripted-agent.ts';
