import {
  ElicitationCapabilities,
  Implementation,
  ProtocolVersion,
  SessionSystemPromptCapabilities,
} from '../both/initialization.ts';
import * as v from '../vocabulary.ts';
import { AuthMethod } from './authentication.ts';

export const ClientAuthCapabilities = v.struct({ terminal: v.marker, _meta: v.meta });
export type ClientAuthCapabilities = v.InferOutput<typeof ClientAuthCapabilities>;

export const ClientCapabilities = v.struct({
  auth: v.nullish(ClientAuthCapabilities),
  elicitation: v.nullish(ElicitationCapabilities),
  _meta: v.meta,
});
export type ClientCapabilities = v.InferOutput<typeof ClientCapabilities>;

export const InitializeRequest = v.struct({
  protocolVersion: ProtocolVersion,
  info: Implementation,
  capabilities: v.optional(ClientCapabilities),
  _meta: v.meta,
});
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

export const PromptCapabilities = v.struct({
  image: v.marker,
  audio: v.marker,
  embeddedContext: v.marker,
  /** @experimental */
  skill: v.nullish(v.struct({ inline: v.marker, _meta: v.meta })),
  _meta: v.meta,
});
export type PromptCapabilities = v.InferOutput<typeof PromptCapabilities>;

export const McpCapabilities = v.struct({
  stdio: v.marker,
  http: v.marker,
  /** @experimental */
  acp: v.marker,
  _meta: v.meta,
});
export type McpCapabilities = v.InferOutput<typeof McpCapabilities>;

/** An object, even an empty one, means that the agent supports sessions and their baseline methods. */
export const SessionCapabilities = v.struct({
  prompt: v.nullish(PromptCapabilities),
  mcp: v.nullish(McpCapabilities),
  delete: v.marker,
  additionalDirectories: v.marker,
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
  /** @experimental */
  status: v.marker,
  _meta: v.meta,
});
export type AgentAuthCapabilities = v.InferOutput<typeof AgentAuthCapabilities>;

export const AgentCapabilities = v.struct({
  session: v.nullish(SessionCapabilities),
  auth: v.nullish(AgentAuthCapabilities),
  /** @experimental */
  providers: v.marker,
  _meta: v.meta,
});
export type AgentCapabilities = v.InferOutput<typeof AgentCapabilities>;

export const InitializeResponse = v.struct({
  protocolVersion: ProtocolVersion,
  info: Implementation,
  capabilities: v.lenient(AgentCapabilities),
  authMethods: v.lenient(v.lenientArray(AuthMethod)),
  _meta: v.meta,
});
export type InitializeResponse = v.InferOutput<typeof InitializeResponse>;
