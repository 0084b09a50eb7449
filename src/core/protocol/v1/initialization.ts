import * as v from 'valibot';
import {
  ElicitationCapabilities,
  Implementation,
  ProtocolVersion,
  SessionSystemPromptCapabilities,
} from '../both/initialization.ts';
import { flag, lenient, lenientArray, marker, meta, nullish, optional, struct } from '../vocabulary.ts';
import { AuthMethod } from './authentication.ts';

export const FileSystemCapabilities = struct({ readTextFile: flag, writeTextFile: flag, _meta: meta });
export type FileSystemCapabilities = v.InferOutput<typeof FileSystemCapabilities>;

export const SessionConfigOptionsCapabilities = struct({ boolean: marker, _meta: meta });
export type SessionConfigOptionsCapabilities = v.InferOutput<typeof SessionConfigOptionsCapabilities>;

export const ClientSessionCapabilities = struct({
  compaction: marker,
  configOptions: nullish(SessionConfigOptionsCapabilities),
  notices: marker,
  _meta: meta,
});
export type ClientSessionCapabilities = v.InferOutput<typeof ClientSessionCapabilities>;

export const AuthCapabilities = struct({ terminal: flag, _meta: meta });
export type AuthCapabilities = v.InferOutput<typeof AuthCapabilities>;

export const ClientCapabilities = struct({
  fs: lenient(FileSystemCapabilities),
  terminal: flag,
  session: nullish(ClientSessionCapabilities),
  auth: lenient(AuthCapabilities),
  elicitation: nullish(ElicitationCapabilities),
  plan: marker,
  subagents: marker,
  _meta: meta,
});
export type ClientCapabilities = v.InferOutput<typeof ClientCapabilities>;

export const InitializeRequest = struct({
  protocolVersion: ProtocolVersion,
  clientCapabilities: optional(ClientCapabilities),
  clientInfo: optional(v.nullable(Implementation)),
  _meta: meta,
});
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

export const PromptCapabilities = struct({ image: flag, audio: flag, embeddedContext: flag, _meta: meta });
export type PromptCapabilities = v.InferOutput<typeof PromptCapabilities>;

export const McpCapabilities = struct({
  http: flag,
  sse: flag,
  /** @experimental */
  acp: flag,
  _meta: meta,
});
export type McpCapabilities = v.InferOutput<typeof McpCapabilities>;

export const SessionCapabilities = struct({
  list: marker,
  delete: marker,
  additionalDirectories: marker,
  resume: marker,
  close: marker,
  systemPrompt: nullish(SessionSystemPromptCapabilities),
  /** @experimental */
  fork: marker,
  /** @experimental */
  options: marker,
  /** @experimental */
  archive: marker,
  /** @experimental */
  status: marker,
  /** @experimental */
  title: marker,
  _meta: meta,
});
export type SessionCapabilities = v.InferOutput<typeof SessionCapabilities>;

export const AgentAuthCapabilities = struct({
  logout: marker,
  /** @experimental */
  status: marker,
  _meta: meta,
});
export type AgentAuthCapabilities = v.InferOutput<typeof AgentAuthCapabilities>;

export const AgentCapabilities = struct({
  loadSession: flag,
  promptCapabilities: lenient(PromptCapabilities),
  mcpCapabilities: lenient(McpCapabilities),
  sessionCapabilities: lenient(SessionCapabilities),
  auth: lenient(AgentAuthCapabilities),
  /** @experimental */
  providers: marker,
  _meta: meta,
});
export type AgentCapabilities = v.InferOutput<typeof AgentCapabilities>;

export const InitializeResponse = struct({
  protocolVersion: ProtocolVersion,
  agentCapabilities: lenient(AgentCapabilities),
  authMethods: lenient(lenientArray(AuthMethod)),
  agentInfo: nullish(Implementation),
  _meta: meta,
});
export type InitializeResponse = v.InferOutput<typeof InitializeResponse>;
