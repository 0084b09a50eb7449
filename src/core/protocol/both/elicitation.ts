import * as v from 'valibot';
import {
  byText,
  count,
  integer,
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  openEnum,
  openVariant,
  optional,
  optionalNullable,
  record,
  type Schema,
  struct,
} from '../vocabulary.ts';
import { RequestId } from './cancellation.ts';

const common = { title: nullableString, description: nullableString, _meta: meta };

export const StringFormat = openEnum<'email' | 'uri' | 'date' | 'date-time'>();
export type StringFormat = v.InferOutput<typeof StringFormat>;

export const EnumOption = struct({
  const: v.string(),
  title: v.string(),
  description: nullableString,
  _meta: meta,
});
export type EnumOption = v.InferOutput<typeof EnumOption>;

export const StringPropertySchema = struct({
  ...common,
  minLength: optionalNullable(count),
  maxLength: optionalNullable(count),
  pattern: optionalNullable(v.string()),
  format: optionalNullable(StringFormat),
  default: nullableString,
  enum: optionalNullable(v.array(v.string())),
  oneOf: optionalNullable(v.array(EnumOption)),
});
export type StringPropertySchema = v.InferOutput<typeof StringPropertySchema>;

export const NumberPropertySchema = struct({
  ...common,
  minimum: optionalNullable(v.number()),
  maximum: optionalNullable(v.number()),
  default: nullish(v.number()),
});
export type NumberPropertySchema = v.InferOutput<typeof NumberPropertySchema>;

export const IntegerPropertySchema = struct({
  ...common,
  minimum: optionalNullable(integer),
  maximum: optionalNullable(integer),
  default: nullish(integer),
});
export type IntegerPropertySchema = v.InferOutput<typeof IntegerPropertySchema>;

export const BooleanPropertySchema = struct({ ...common, default: nullish(v.boolean()) });
export type BooleanPropertySchema = v.InferOutput<typeof BooleanPropertySchema>;

export const StringMultiSelectItems = struct({ enum: v.array(v.string()), _meta: meta });
export type StringMultiSelectItems = v.InferOutput<typeof StringMultiSelectItems>;

export const TitledMultiSelectItems = struct({ anyOf: v.array(EnumOption), _meta: meta });
export type TitledMultiSelectItems = v.InferOutput<typeof TitledMultiSelectItems>;

const typedItems = openVariant('type', { string: StringMultiSelectItems });

/** Titled items have no `type`. */
export const MultiSelectItems = byText('type', typedItems, TitledMultiSelectItems);
export type MultiSelectItems = v.InferOutput<typeof MultiSelectItems>;

export const MultiSelectPropertySchema = struct({
  ...common,
  minItems: optionalNullable(count),
  maxItems: optionalNullable(count),
  items: MultiSelectItems,
  default: nullish(lenientArray(v.string())),
});
export type MultiSelectPropertySchema = v.InferOutput<typeof MultiSelectPropertySchema>;

/** A property of an unknown type must not be shown as a known one. */
export const ElicitationPropertySchema = openVariant('type', {
  string: StringPropertySchema,
  number: NumberPropertySchema,
  integer: IntegerPropertySchema,
  boolean: BooleanPropertySchema,
  array: MultiSelectPropertySchema,
});
export type ElicitationPropertySchema = v.InferOutput<typeof ElicitationPropertySchema>;

export const ElicitationSchema = struct({
  ...common,
  type: lenient(v.literal('object')),
  properties: optional(record(ElicitationPropertySchema)),
  required: optionalNullable(v.array(v.string())),
});
export type ElicitationSchema = v.InferOutput<typeof ElicitationSchema>;

export const ElicitationSessionScope = struct({ sessionId: v.string(), toolCallId: nullableString });
export type ElicitationSessionScope = v.InferOutput<typeof ElicitationSessionScope>;

export const ElicitationRequestScope = struct({ requestId: RequestId });
export type ElicitationRequestScope = v.InferOutput<typeof ElicitationRequestScope>;

/** An elicitation belongs to a session, or to a pending request from the client. */
function scoped<const E extends Readonly<Record<string, v.GenericSchema>>>(entries: E) {
  const bySession = struct({ ...entries, ...ElicitationSessionScope.entries });
  const byRequest = struct({ ...entries, ...ElicitationRequestScope.entries });
  return byText('sessionId', bySession, byRequest) as Schema<
    v.InferOutput<v.ObjectSchema<E, undefined>> & (ElicitationSessionScope | ElicitationRequestScope)
  >;
}

const request = { message: v.string(), _meta: meta };

/** An unknown mode must not be shown as a known one. */
export const CreateElicitationRequest = openVariant(
  'mode',
  {
    form: scoped({ ...request, requestedSchema: ElicitationSchema }),
    url: scoped({ ...request, elicitationId: v.string(), url: v.string() }),
  },
  request,
);
export type CreateElicitationRequest = v.InferOutput<typeof CreateElicitationRequest>;

export const CompleteElicitationNotification = struct({ elicitationId: v.string(), _meta: meta });
export type CompleteElicitationNotification = v.InferOutput<typeof CompleteElicitationNotification>;
