export type * from '../recording/fold-traffic.ts';
export { foldTraffic } from '../recording/fold-traffic.ts';
export { playback, readRecords } from '../recording/playback.ts';
export { type Recording, recordTraffic } from '../recording/record-traffic.ts';
export type { RecordedTraffic } from '../recording/recorded-traffic.ts';
export { transcriptOf } from '../recording/transcript-of.ts';
export { checkTranscriptStorage } from '../testing/check-storage.ts';
export type * from '../testing/scripted-agent.ts';
export { noAnswer, scriptedAgent, updateMessage } from '../testing/scripted-agent.ts';
export {
  type ByteFlow,
  type ChunkSizes,
  type Fault,
  type Faults,
  faults,
  type MessageSelector,
  type ScriptedExit,
} from '../transport/memory/faults.ts';
export type * from '../transport/memory/memory-transport.ts';
export { memoryTransport } from '../transport/memory/memory-transport.ts';
