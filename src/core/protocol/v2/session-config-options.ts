import * as v from 'valibot';
import { isJsonObject } from '../../base/json.ts';
import {
  SessionConfigBoolean,
  SessionConfigOptionCategory,
  SessionConfigSelectOption,
} from '../both/session-config-options.ts';
import {
  json,
  lenientArray,
  meta,
  nonEmptyArray,
  nullableString,
  nullish,
  openVariant,
  type Schema,
  struct,
  withDefault,
} from '../vocabulary.ts';

export const SessionConfigSelectGroup = struct({
  groupId: v.string(),
  name: v.string(),
  options: withDefault(lenientArray(SessionConfigSelectOption), []),
  _meta: meta,
});
export type SessionConfigSelectGroup = v.InferOutput<typeof SessionConfigSelectGroup>;

const ungrouped = nonEmptyArray(SessionConfigSelectOption);
const grouped = nonEmptyArray(SessionConfigSelectGroup);

/** Either options or groups. The first item decides. */
export const SessionConfigSelectOptions: Schema<SessionConfigSelectOption[] | SessionConfigSelectGroup[]> =
  v.lazy((input) =>
    Array.isArray(input) && isJsonObject(input[0]) && Object.hasOwn(input[0], 'groupId')
      ? grouped
      : ungrouped,
  );
export type SessionConfigSelectOptions = v.InferOutput<typeof SessionConfigSelectOptions>;

export const SessionConfigSelect = struct({ currentValue: v.string(), options: SessionConfigSelectOptions });
export type SessionConfigSelect = v.InferOutput<typeof SessionConfigSelect>;

const option = {
  configId: v.string(),
  name: v.string(),
  description: nullableString,
  category: nullish(SessionConfigOptionCategory),
  _meta: meta,
};

export const SessionConfigOption = openVariant(
  'type',
  {
    select: struct({ ...option, ...SessionConfigSelect.entries }),
    boolean: struct({ ...option, ...SessionConfigBoolean.entries }),
  },
  option,
);
export type SessionConfigOption = v.InferOutput<typeof SessionConfigOption>;

export const ConfigOptionUpdate = struct({ configOptions: lenientArray(SessionConfigOption), _meta: meta });
export type ConfigOptionUpdate = v.InferOutput<typeof ConfigOptionUpdate>;

const setting = { sessionId: v.string(), configId: v.string(), _meta: meta };

export const SetSessionConfigOptionRequest = openVariant(
  'type',
  {
    id: struct({ ...setting, value: v.string() }),
    boolean: struct({ ...setting, value: v.boolean() }),
  },
  { ...setting, value: json },
);
export type SetSessionConfigOptionRequest = v.InferOutput<typeof SetSessionConfigOptionRequest>;

export const SetSessionConfigOptionResponse = ConfigOptionUpdate;
export type SetSessionConfigOptionResponse = v.InferOutput<typeof SetSessionConfigOptionResponse>;
