import * as v from '../vocabulary.ts';
import { RequestId } from './cancellation.ts';

const common = { title: v.nullableString, description: v.nullableString, _meta: v.meta };

export const StringFormat = v.openEnum<'email' | 'uri' | 'date' | 'date-time'>();
export type StringFormat = v.InferOutput<typeof StringFormat>;

export const EnumOption = v.struct({
  const: v.string(),
  title: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type EnumOption = v.InferOutput<typeof EnumOption>;

export const StringPropertySchema = v.struct({
  ...common,
  minLength: v.optionalNullable(v.count),
  maxLength: v.optionalNullable(v.count),
  pattern: v.optionalNullable(v.string()),
  format: v.optionalNullable(StringFormat),
  default: v.nullableString,
  enum: v.optionalNullable(v.array(v.string())),
  oneOf: v.optionalNullable(v.array(EnumOption)),
});
export type StringPropertySchema = v.InferOutput<typeof StringPropertySchema>;

export const NumberPropertySchema = v.struct({
  ...common,
  minimum: v.optionalNullable(v.number()),
  maximum: v.optionalNullable(v.number()),
  default: v.nullish(v.number()),
});
export type NumberPropertySchema = v.InferOutput<typeof NumberPropertySchema>;

export const IntegerPropertySchema = v.struct({
  ...common,
  minimum: v.optionalNullable(v.integer),
  maximum: v.optionalNullable(v.integer),
  default: v.nullish(v.integer),
});
export type IntegerPropertySchema = v.InferOutput<typeof IntegerPropertySchema>;

export const BooleanPropertySchema = v.struct({ ...common, default: v.nullish(v.boolean()) });
export type BooleanPropertySchema = v.InferOutput<typeof BooleanPropertySchema>;

export const StringMultiSelectItems = v.struct({ enum: v.array(v.string()), _meta: v.meta });
export type StringMultiSelectItems = v.InferOutput<typeof StringMultiSelectItems>;

export const TitledMultiSelectItems = v.struct({ anyOf: v.array(EnumOption), _meta: v.meta });
export type TitledMultiSelectItems = v.InferOutput<typeof TitledMultiSelectItems>;

const typedItems = v.openVariant('type', { string: StringMultiSelectItems });

/** Titled items have no `type`. */
export const MultiSelectItems = v.byText('type', typedItems, TitledMultiSelectItems);
export type MultiSelectItems = v.InferOutput<typeof MultiSelectItems>;

export const MultiSelectPropertySchema = v.struct({
  ...common,
  minItems: v.optionalNullable(v.count),
  maxItems: v.optionalNullable(v.count),
  items: MultiSelectItems,
  default: v.nullish(v.lenientArray(v.string())),
});
export type MultiSelectPropertySchema = v.InferOutput<typeof MultiSelectPropertySchema>;

/** A property of an unknown type must not be shown as a known one. */
export const ElicitationPropertySchema = v.openVariant('type', {
  string: StringPropertySchema,
  number: NumberPropertySchema,
  integer: IntegerPropertySchema,
  boolean: BooleanPropertySchema,
  array: MultiSelectPropertySchema,
});
export type ElicitationPropertySchema = v.InferOutput<typeof ElicitationPropertySchema>;

export const ElicitationSchema = v.struct({
  ...common,
  type: v.lenient(v.literal('object')),
  properties: v.optional(v.record(ElicitationPropertySchema)),
  required: v.optionalNullable(v.array(v.string())),
});
export type ElicitationSchema = v.InferOutput<typeof ElicitationSchema>;

export const ElicitationSessionScope = v.struct({ sessionId: v.string(), toolCallId: v.nullableString });
export type ElicitationSessionScope = v.InferOutput<typeof ElicitationSessionScope>;

export const ElicitationRequestScope = v.struct({ requestId: RequestId });
export type ElicitationRequestScope = v.InferOutput<typeof ElicitationRequestScope>;

/** An elicitation belongs to a session, or to a pending request from the client. */
function scoped<const E extends Readonly<Record<string, v.GenericSchema>>>(entries: E) {
  const bySession = v.struct({ ...entries, ...ElicitationSessionScope.entries });
  const byRequest = v.struct({ ...entries, ...ElicitationRequestScope.entries });
  return v.byText('sessionId', bySession, byRequest) as v.Schema<
    v.InferOutput<v.ObjectSchema<E, undefined>> & (ElicitationSessionScope | ElicitationRequestScope)
  >;
}

const request = { message: v.string(), _meta: v.meta };

/** An unknown mode must not be shown as a known one. */
export const CreateElicitationRequest = v.openVariant(
  'mode',
  {
    form: scoped({ ...request, requestedSchema: ElicitationSchema }),
    url: scoped({ ...request, elicitationId: v.string(), url: v.string() }),
  },
  request,
);
export type CreateElicitationRequest = v.InferOutput<typeof CreateElicitationRequest>;

export const CompleteElicitationNotification = v.struct({ elicitationId: v.string(), _meta: v.meta });
export type CompleteElicitationNotification = v.InferOutput<typeof CompleteElicitationNotification>;
