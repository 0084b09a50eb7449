import * as v from 'valibot';
import type { JsonObject } from '../../json.ts';
import { agentRequest } from '../method.ts';
import { json, lenientArray, meta, nullableString, type Schema, struct, withDefault } from '../vocabulary.ts';

/** The models of a session. They were removed from the protocol in favor of config options. Many agents still send them. */

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

/** Not a schema of the protocol, so that no entry has it: the type is written out. */
export interface SetSessionModelRequest {
  sessionId: string;
  modelId: string;
  _meta?: JsonObject | null;
}

const SetSessionModelRequest: Schema<SetSessionModelRequest> = struct({
  sessionId: v.string(),
  modelId: v.string(),
  _meta: meta,
});

/** @see https://agentclientprotocol.com/protocol/v1/session-config-options */
export const setModel = agentRequest({
  method: 'session/set_model',
  params: SetSessionModelRequest,
  result: json,
  requires: 'session',
});
