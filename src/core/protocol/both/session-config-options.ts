import * as v from 'valibot';
import { meta, nullableString, openEnum, struct } from '../vocabulary.ts';

/** The category `speed` is newer than the published schemas. */
export const SessionConfigOptionCategory = openEnum<
  'mode' | 'model' | 'model_config' | 'thought_level' | 'speed'
>();
export type SessionConfigOptionCategory = v.InferOutput<typeof SessionConfigOptionCategory>;

export const SessionConfigSelectOption = struct({
  value: v.string(),
  name: v.string(),
  description: nullableString,
  _meta: meta,
});
export type SessionConfigSelectOption = v.InferOutput<typeof SessionConfigSelectOption>;

export const SessionConfigBoolean = struct({ currentValue: v.boolean() });
export type SessionConfigBoolean = v.InferOutput<typeof SessionConfigBoolean>;
