import * as v from '../vocabulary.ts';

/** The category `speed` is newer than the published schemas. */
export const SessionConfigOptionCategory = v.openEnum<
  'mode' | 'model' | 'model_config' | 'thought_level' | 'speed'
>();
export type SessionConfigOptionCategory = v.InferOutput<typeof SessionConfigOptionCategory>;

export const SessionConfigSelectOption = v.struct({
  value: v.string(),
  name: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type SessionConfigSelectOption = v.InferOutput<typeof SessionConfigSelectOption>;

export const SessionConfigBoolean = v.struct({ currentValue: v.boolean() });
export type SessionConfigBoolean = v.InferOutput<typeof SessionConfigBoolean>;
