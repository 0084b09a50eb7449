export type { DialectName } from './protocol/dialect.ts';
export {
  type ByteFlow,
  delay,
  drop,
  duplicate,
  exitAfter,
  type Fault,
  rechunk,
  truncate,
  type Which,
} from './testing/faults.ts';
export {
  type FoldedSession,
  type FoldedTraffic,
  type FoldTrafficOptions,
  foldTraffic,
} from './testing/fold-traffic.ts';
export { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './testing/memory-transport.ts';
export { playback, readRecords } from './testing/playback.ts';
export { type Recording, record } from './testing/record.ts';
export {
  type Answer,
  type ReceivedMessage,
  ScriptedAgent,
  type ScriptedAgentOptions,
  scriptedAgent,
  silence,
  updateMessage,
} from './testing/scripted-agent.ts';
export { transcriptOf } from './testing/transcript-of.ts';
export { type RedactOptions, redact } from './trace/redact.ts';
export type { Trace } from './trace/trace.ts';
export type { TrafficRecord } from './trace/traffic.ts';
