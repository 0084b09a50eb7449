import { agentRequest } from '../method.ts';
import * as v from '../vocabulary.ts';

/**
 * The models of a session. They were removed from the protocol in favor of config options. Many agents still send them.
 */

export const ModelInfo = v.struct({
  modelId: v.string(),
  name: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type ModelInfo = v.InferOutput<typeof ModelInfo>;

export const SessionModelState = v.struct({
  currentModelId: v.string(),
  availableModels: v.withDefault(v.lenientArray(ModelInfo), []),
  _meta: v.meta,
});
export type SessionModelState = v.InferOutput<typeof SessionModelState>;

/** @see https://agentclientprotocol.com/protocol/v1/session-config-options */
export const setModel = agentRequest({
  method: 'session/set_model',
  params: v.struct({ sessionId: v.string(), modelId: v.string(), _meta: v.meta }),
  result: v.json,
  requires: 'session',
});
