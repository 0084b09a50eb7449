export {
  type ByteFlow,
  type ChunkSizes,
  type Fault,
  type Faults,
  faults,
  type MessageSelector,
  type ScriptedExit,
} from './faults.ts';
export {
  type FoldedSession,
  type FoldedTraffic,
  type FoldTrafficOptions,
  foldTraffic,
} from './fold-traffic.ts';
export { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './memory-transport.ts';
export { playback, readRecords } from './playback.ts';
export { type Recording, recordTraffic } from './record-traffic.ts';
export {
  type Answer,
  noAnswer,
  type ReceivedMessage,
  type ScriptedAgent,
  type ScriptedAgentOptions,
  scriptedAgent,
  updateMessage,
} from './scripted-agent.ts';
export { transcriptOf } from './transcript-of.ts';
