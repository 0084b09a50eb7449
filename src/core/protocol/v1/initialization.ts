import {
  ElicitationCapabilities,
  Implementation,
  ProtocolVersion,
  SessionSystemPromptCapabilities,
} from '../both/initialization.ts';
import * as v from '../vocabulary.ts';
import { AuthMethod } from './authentication.ts';

export const FileSystemCapabilities = v.struct({
  readTextFile: v.flag,
  writeTextFile: v.flag,
  _meta: v.meta,
});
export type FileSystemCapabilities = v.InferOutput<typeof FileSystemCapabilities>;

export const SessionConfigOptionsCapabilities = v.struct({ boolean: v.marker, _meta: v.meta });
export type SessionConfigOptionsCapabilities = v.InferOutput<typeof SessionConfigOptionsCapabilities>;

export const ClientSessionCapabilities = v.struct({
  compaction: v.marker,
  configOptions: v.nullish(SessionConfigOptionsCapabilities),
  notices: v.marker,
  _meta: v.meta,
});
export type ClientSessionCapabilities = v.InferOutput<typeof ClientSessionCapabilities>;

export const AuthCapabilities = v.struct({ terminal: v.flag, _meta: v.meta });
export type AuthCapabilities = v.InferOutput<typeof AuthCapabilities>;

export const ClientCapabilities = v.struct({
  fs: v.lenient(FileSystemCapabilities),
  terminal: v.flag,
  session: v.nullish(ClientSessionCapabilities),
  auth: v.lenient(AuthCapabilities),
  elicitation: v.nullish(ElicitationCapabilities),
  plan: v.marker,
  subagents: v.marker,
  _meta: v.meta,
});
export type ClientCapabilities = v.InferOutput<typeof ClientCapabilities>;

export const InitializeRequest = v.struct({
  protocolVersion: ProtocolVersion,
  clientCapabilities: v.optional(ClientCapabilities),
  clientInfo: v.optional(v.nullable(Implementation)),
  _meta: v.meta,
});
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

export const PromptCapabilities = v.struct({
  image: v.flag,
  audio: v.flag,
  embeddedContext: v.flag,
  _meta: v.meta,
});
export type PromptCapabilities = v.InferOutput<typeof PromptCapabilities>;

export const McpCapabilities = v.struct({
  http: v.flag,
  sse: v.flag,
  /** @experimental */
  acp: v.flag,
  _meta: v.meta,
});
export type McpCapabilities = v.InferOutput<typeof McpCapabilities>;

export const SessionCapabilities = v.struct({
  list: v.marker,
  delete: v.marker,
  additionalDirectories: v.marker,
  resume: v.marker,
  close: v.marker,
  systemPrompt: v.nullish(SessionSystemPromptCapabilities),
  /** @experimental */
  fork: v.marker,
  /** @experimental */
  options: v.marker,
  /** @experimental */
  archive: v.marker,
  /** @experimental */
  status: v.marker,
  /** @experimental */
  title: v.marker,
  _meta: v.meta,
});
export type SessionCapabilities = v.InferOutput<typeof SessionCapabilities>;

export const AgentAuthCapabilities = v.struct({
  logout: v.marker,
  /** @experimental */
  status: v.marker,
  _meta: v.meta,
});
export type AgentAuthCapabilities = v.InferOutput<typeof AgentAuthCapabilities>;

export const AgentCapabilities = v.struct({
  loadSession: v.flag,
  promptCapabilities: v.lenient(PromptCapabilities),
  mcpCapabilities: v.lenient(McpCapabilities),
  sessionCapabilities: v.lenient(SessionCapabilities),
  auth: v.lenient(AgentAuthCapabilities),
  /** @experimental */
  providers: v.marker,
  _meta: v.meta,
});
export type AgentCapabilities = v.InferOutput<typeof AgentCapabilities>;

export const InitializeResponse = v.struct({
  protocolVersion: ProtocolVersion,
  agentCapabilities: v.lenient(AgentCapabilities),
  authMethods: v.lenient(v.lenientArray(AuthMethod)),
  agentInfo: v.nullish(Implementation),
  _meta: v.meta,
});
export type InitializeResponse = v.InferOutput<typeof InitializeResponse>;
