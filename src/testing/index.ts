export type { DialectName } from '../protocol/dialect.ts';
export { type RedactOptions, redact } from '../trace/redact.ts';
export type { Trace } from '../trace/trace.ts';
export type { TrafficRecord } from '../trace/traffic.ts';
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
} from './faults.ts';
export {
  type FoldedSession,
  type FoldedTraffic,
  type FoldTrafficOptions,
  foldTraffic,
} from './fold-traffic.ts';
export { type AgentEnd, type MemoryTransportOptions, memoryTransport } from './memory-transport.ts';
export { playback, readRecords } from './playback.ts';
export { type Recording, record } from './record.ts';
export {
  type Answer,
  type ReceivedMessage,
  type ScriptedAgent,
  type ScriptedAgentOptions,
  scriptedAgent,
  silence,
  updateMessage,
} from './scripted-agent.ts';
export { transcriptOf } from './transcript-of.ts';
