import type * as v from 'valibot';
import {
  ElicitationCapabilities,
  Implementation,
  ProtocolVersion,
  SessionSystemPromptCapabilities,
} from '../both/initialization.ts';
import { lenient, lenientArray, marker, meta, nullish, optional, struct } from '../vocabulary.ts';
import { AuthMethod } from './authentication.ts';

export const ClientAuthCapabilities = struct({ terminal: marker, _meta: meta });
export type ClientAuthCapabilities = v.InferOutput<typeof ClientAuthCapabilities>;

export const ClientCapabilities = struct({
  auth: nullish(ClientAuthCapabilities),
  elicitation: nullish(ElicitationCapabilities),
  _meta: meta,
});
export type ClientCapabilities = v.InferOutput<typeof ClientCapabilities>;

export const InitializeRequest = struct({
  protocolVersion: ProtocolVersion,
  info: Implementation,
  capabilities: optional(ClientCapabilities),
  _meta: meta,
});
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

export const PromptCapabilities = struct({
  image: marker,
  audio: marker,
  embeddedContext: marker,
  /** @experimental */
  skill: nullish(struct({ inline: marker, _meta: meta })),
  _meta: meta,
});
export type PromptCapabilities = v.InferOutput<typeof PromptCapabilities>;

export const McpCapabilities = struct({
  stdio: marker,
  http: marker,
  /** @experimental */
  acp: marker,
  _meta: meta,
});
export type McpCapabilities = v.InferOutput<typeof McpCapabilities>;

/** An object, even an empty one, means that the agent supports sessions and their baseline methods. */
export const SessionCapabilities = struct({
  prompt: nullish(PromptCapabilities),
  mcp: nullish(McpCapabilities),
  delete: marker,
  additionalDirectories: marker,
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
  /** @experimental */
  status: marker,
  _meta: meta,
});
export type AgentAuthCapabilities = v.InferOutput<typeof AgentAuthCapabilities>;

export const AgentCapabilities = struct({
  session: nullish(SessionCapabilities),
  auth: nullish(AgentAuthCapabilities),
  /** @experimental */
  providers: marker,
  _meta: meta,
});
export type AgentCapabilities = v.InferOutput<typeof AgentCapabilities>;

export const InitializeResponse = struct({
  protocolVersion: ProtocolVersion,
  info: Implementation,
  capabilities: lenient(AgentCapabilities),
  authMethods: lenient(lenientArray(AuthMethod)),
  _meta: meta,
});
export type InitializeResponse = v.InferOutput<typeof InitializeResponse>;
