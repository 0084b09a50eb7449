import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { json, meta, openEnum, struct } from '../vocabulary.ts';

export const EnvVariable = struct({ name: v.string(), value: v.string(), _meta: meta });
export type EnvVariable = v.InferOutput<typeof EnvVariable>;

export const HttpHeader = struct({ name: v.string(), value: v.string(), _meta: meta });
export type HttpHeader = v.InferOutput<typeof HttpHeader>;

export const SystemPromptMode = openEnum<'append' | 'override'>();
export type SystemPromptMode = v.InferOutput<typeof SystemPromptMode>;

export const CloseSessionRequest = struct({ sessionId: v.string(), _meta: meta });
export type CloseSessionRequest = v.InferOutput<typeof CloseSessionRequest>;

/**
 * @see https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#closing-active-sessions
 */
export const closeSession = agentRequest({
  method: 'session/close',
  params: CloseSessionRequest,
  result: json,
  requires: 'session.close',
  session: 'ends',
});
