import * as v from '../vocabulary.ts';

export const ElicitationContentValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]);
export type ElicitationContentValue = v.InferOutput<typeof ElicitationContentValue>;

export const ElicitationAcceptAction = v.struct({
  content: v.optionalNullable(v.record(ElicitationContentValue)),
  _meta: v.meta,
});
export type ElicitationAcceptAction = v.InferOutput<typeof ElicitationAcceptAction>;

export const CreateElicitationResponse = v.openVariant(
  'action',
  { accept: ElicitationAcceptAction, decline: v.empty, cancel: v.empty },
  { _meta: v.meta },
);
export type CreateElicitationResponse = v.InferOutput<typeof CreateElicitationResponse>;
