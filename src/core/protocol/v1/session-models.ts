import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { json, lenientArray, meta, nullableString, struct, withDefault } from '../vocabulary.ts';

/**
 * The models of a session. They were removed from the protocol in favor of config options. Many agents still send them.
 */

export const ModelInfo = struct({
  modelId: v.string(),
  name: v.string(),
  description: nullableString,
  _meta: meta,
});
export type ModelInfo = v.InferOutput<typeof ModelInfo>;

export const SessionModelState = struct({
  currentModelId: v.string(),
  availableModels: withDefault(lenientArray(ModelInfo), []),
  _meta: meta,
});
export type SessionModelState = v.InferOutput<typeof SessionModelState>;

/** @see https://agentclientprotocol.com/protocol/v1/session-config-options */
export const setModel = agentRequest({
  method: 'session/set_model',
  params: struct({ sessionId: v.string(), modelId: v.string(), _meta: meta }),
  result: json,
  requires: 'session',
});
