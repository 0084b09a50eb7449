import type * as v from 'valibot';
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
