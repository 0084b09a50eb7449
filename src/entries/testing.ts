export {
  type ByteFlow,
  type ChunkSizes,
  type Fault,
  type Faults,
  faults,
  type MessageSelector,
  type ScriptedExit,
} from '../core/transport/memory/faults.ts';
export type * from '../core/transport/memory/memory-transport.ts';
export { memoryTransport } from '../core/transport/memory/memory-transport.ts';
export type * from '../records/recording/fold-traffic.ts';
export { foldTraffic } from '../records/recording/fold-traffic.ts';
export { playback, readRecords } from '../records/recording/playback.ts';
export type { RecordedTraffic } from '../records/recording/record-traffic.ts';
export { type Recording, recordTraffic } from '../records/recording/record-traffic.ts';
export { transcriptOf } from '../records/recording/transcript-of.ts';
export { checkTranscriptStorage } from '../records/testing/check-storage.ts';
export type * from '../records/testing/scripted-agent.ts';
export { noAnswer, scriptedAgent, updateMessage } from '../records/testing/scripted-agent.ts';
