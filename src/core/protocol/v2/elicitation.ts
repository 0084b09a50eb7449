import type * as v from 'valibot';
import { CreateElicitationRequest } from '../both/elicitation.ts';
import { clientRequest } from '../method.ts';
import { empty, jsonObject, meta, openVariant, optionalNullable, struct } from '../vocabulary.ts';

export const ElicitationAcceptAction = struct({
  content: optionalNullable(jsonObject),
  _meta: meta,
});
export type ElicitationAcceptAction = v.InferOutput<typeof ElicitationAcceptAction>;

export const CreateElicitationResponse = openVariant(
  'action',
  { accept: ElicitationAcceptAction, decline: empty, cancel: empty },
  { _meta: meta },
);
export type CreateElicitationResponse = v.InferOutput<typeof CreateElicitationResponse>;

/** @see https://agentclientprotocol.com/protocol/v2/elicitation#creating-an-elicitation */
export const createElicitation = clientRequest({
  method: 'elicitation/create',
  params: CreateElicitationRequest,
  result: CreateElicitationResponse,
});
