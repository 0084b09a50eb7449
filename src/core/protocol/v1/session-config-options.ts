import { isJsonObject } from '../../base/json.ts';
import {
  SessionConfigBoolean,
  SessionConfigOptionCategory,
  SessionConfigSelectOption,
} from '../both/session-config-options.ts';
import * as v from '../vocabulary.ts';

export const SessionConfigSelectGroup = v.struct({
  group: v.string(),
  name: v.string(),
  options: v.withDefault(v.lenientArray(SessionConfigSelectOption), []),
  _meta: v.meta,
});
export type SessionConfigSelectGroup = v.InferOutput<typeof SessionConfigSelectGroup>;

const ungrouped = v.array(SessionConfigSelectOption);
const grouped = v.array(SessionConfigSelectGroup);

/** Either options or groups. The first item decides. */
export const SessionConfigSelectOptions: v.Schema<SessionConfigSelectOption[] | SessionConfigSelectGroup[]> =
  v.lazy((input) =>
    Array.isArray(input) && isJsonObject(input[0]) && Object.hasOwn(input[0], 'group') ? grouped : ungrouped,
  );
export type SessionConfigSelectOptions = v.InferOutput<typeof SessionConfigSelectOptions>;

export const SessionConfigSelect = v.struct({
  currentValue: v.string(),
  options: SessionConfigSelectOptions,
});
export type SessionConfigSelect = v.InferOutput<typeof SessionConfigSelect>;

const option = {
  id: v.string(),
  name: v.string(),
  description: v.nullableString,
  category: v.nullish(SessionConfigOptionCategory),
  _meta: v.meta,
};

/** Options of other types are ignored, as the page requires. */
export const SessionConfigOption = v.variant('type', {
  select: v.struct({ ...option, ...SessionConfigSelect.entries }),
  boolean: v.struct({ ...option, ...SessionConfigBoolean.entries }),
});
export type SessionConfigOption = v.InferOutput<typeof SessionConfigOption>;

export const ConfigOptionUpdate = v.struct({
  configOptions: v.withDefault(v.lenientArray(SessionConfigOption), []),
  _meta: v.meta,
});
export type ConfigOptionUpdate = v.InferOutput<typeof ConfigOptionUpdate>;

const setting = { sessionId: v.string(), configId: v.string(), _meta: v.meta };
const setBoolean = v.struct({ ...setting, type: v.literal('boolean'), value: v.boolean() });
const setId = v.struct({ ...setting, value: v.string() });

/** Without a `type`, the value is the id of a choice. */
export const SetSessionConfigOptionRequest: v.Schema<
  v.InferOutput<typeof setBoolean> | v.InferOutput<typeof setId>
> = v.lazy((input) => (isJsonObject(input) && input['type'] === 'boolean' ? setBoolean : setId));
export type SetSessionConfigOptionRequest = v.InferOutput<typeof SetSessionConfigOptionRequest>;

export const SetSessionConfigOptionResponse = ConfigOptionUpdate;
export type SetSessionConfigOptionResponse = v.InferOutput<typeof SetSessionConfigOptionResponse>;
