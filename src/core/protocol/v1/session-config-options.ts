import * as v from 'valibot';
import { isJsonObject } from '../../base/json.ts';
import {
  SessionConfigBoolean,
  SessionConfigOptionCategory,
  SessionConfigSelectOption,
} from '../both/session-config-options.ts';
import {
  lenientArray,
  meta,
  nullableString,
  nullish,
  type Schema,
  struct,
  variant,
  withDefault,
} from '../vocabulary.ts';

export const SessionConfigSelectGroup = struct({
  group: v.string(),
  name: v.string(),
  options: withDefault(lenientArray(SessionConfigSelectOption), []),
  _meta: meta,
});
export type SessionConfigSelectGroup = v.InferOutput<typeof SessionConfigSelectGroup>;

const ungrouped = v.array(SessionConfigSelectOption);
const grouped = v.array(SessionConfigSelectGroup);

/** Either options or groups. The first item decides. */
export const SessionConfigSelectOptions: Schema<SessionConfigSelectOption[] | SessionConfigSelectGroup[]> =
  v.lazy((input) =>
    Array.isArray(input) && isJsonObject(input[0]) && Object.hasOwn(input[0], 'group') ? grouped : ungrouped,
  );
export type SessionConfigSelectOptions = v.InferOutput<typeof SessionConfigSelectOptions>;

export const SessionConfigSelect = struct({ currentValue: v.string(), options: SessionConfigSelectOptions });
export type SessionConfigSelect = v.InferOutput<typeof SessionConfigSelect>;

const option = {
  id: v.string(),
  name: v.string(),
  description: nullableString,
  category: nullish(SessionConfigOptionCategory),
  _meta: meta,
};

/** Options of other types are ignored, as the page requires. */
export const SessionConfigOption = variant('type', {
  select: struct({ ...option, ...SessionConfigSelect.entries }),
  boolean: struct({ ...option, ...SessionConfigBoolean.entries }),
});
export type SessionConfigOption = v.InferOutput<typeof SessionConfigOption>;

export const ConfigOptionUpdate = struct({
  configOptions: withDefault(lenientArray(SessionConfigOption), []),
  _meta: meta,
});
export type ConfigOptionUpdate = v.InferOutput<typeof ConfigOptionUpdate>;

const setting = { sessionId: v.string(), configId: v.string(), _meta: meta };
const setBoolean = struct({ ...setting, type: v.literal('boolean'), value: v.boolean() });
const setId = struct({ ...setting, value: v.string() });

/** Without a `type`, the value is the id of a choice. */
export const SetSessionConfigOptionRequest: Schema<
  v.InferOutput<typeof setBoolean> | v.InferOutput<typeof setId>
> = v.lazy((input) => (isJsonObject(input) && input['type'] === 'boolean' ? setBoolean : setId));
export type SetSessionConfigOptionRequest = v.InferOutput<typeof SetSessionConfigOptionRequest>;

export const SetSessionConfigOptionResponse = ConfigOptionUpdate;
export type SetSessionConfigOptionResponse = v.InferOutput<typeof SetSessionConfigOptionResponse>;
