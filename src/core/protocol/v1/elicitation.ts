import * as v from 'valibot';
import { empty, meta, openVariant, optionalNullable, record, struct } from '../vocabulary.ts';

export const ElicitationContentValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]);
export type ElicitationContentValue = v.InferOutput<typeof ElicitationContentValue>;

export const ElicitationAcceptAction = struct({
  content: optionalNullable(record(ElicitationContentValue)),
  _meta: meta,
});
export type ElicitationAcceptAction = v.InferOutput<typeof ElicitationAcceptAction>;

export const CreateElicitationResponse = openVariant(
  'action',
  { accept: ElicitationAcceptAction, decline: empty, cancel: empty },
  { _meta: meta },
);
export type CreateElicitationResponse = v.InferOutput<typeof CreateElicitationResponse>;
