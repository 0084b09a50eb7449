import { isJsonObject } from '../../base/json.ts';
import {
  SessionConfigBoolean,
  SessionConfigOptionCategory,
  SessionConfigSelectOption,
} from '../both/session-config-options.ts';
import * as v from '../vocabulary.ts';

export const SessionConfigSelectGroup = v.struct({
  groupId: v.string(),
  name: v.string(),
  options: v.withDefault(v.lenientArray(SessionConfigSelectOption), []),
  _meta: v.meta,
});
export type SessionConfigSelectGroup = v.InferOutput<typeof SessionConfigSelectGroup>;

const ungrouped = v.nonEmptyArray(SessionConfigSelectOption);
const grouped = v.nonEmptyArray(SessionConfigSelectGroup);

/** Either options or groups. The first item decides. */
export const SessionConfigSelectOptions: v.Schema<SessionConfigSelectOption[] | SessionConfigSelectGroup[]> =
  v.lazy((input) =>
    Array.isArray(input) && isJsonObject(input[0]) && Object.hasOwn(input[0], 'groupId')
      ? grouped
      : ungrouped,
  );
export type SessionConfigSelectOptions = v.InferOutput<typeof SessionConfigSelectOptions>;

export const SessionConfigSelect = v.struct({
  currentValue: v.string(),
  options: SessionConfigSelectOptions,
});
export type SessionConfigSelect = v.InferOutput<typeof SessionConfigSelect>;

const option = {
  configId: v.string(),
  name: v.string(),
  description: v.nullableString,
  category: v.nullish(SessionConfigOptionCategory),
  _meta: v.meta,
};

export const SessionConfigOption = v.openVariant(
  'type',
  {
    select: v.struct({ ...option, ...SessionConfigSelect.entries }),
    boolean: v.struct({ ...option, ...SessionConfigBoolean.entries }),
  },
  option,
);
export type SessionConfigOption = v.InferOutput<typeof SessionConfigOption>;

export const ConfigOptionUpdate = v.struct({
  configOptions: v.lenientArray(SessionConfigOption),
  _meta: v.meta,
});
export type ConfigOptionUpdate = v.InferOutput<typeof ConfigOptionUpdate>;

const setting = { sessionId: v.string(), configId: v.string(), _meta: v.meta };

export const SetSessionConfigOptionRequest = v.openVariant(
  'type',
  {
    id: v.struct({ ...setting, value: v.string() }),
    boolean: v.struct({ ...setting, value: v.boolean() }),
  },
  { ...setting, value: v.json },
);
export type SetSessionConfigOptionRequest = v.InferOutput<typeof SetSessionConfigOptionRequest>;

export const SetSessionConfigOptionResponse = ConfigOptionUpdate;
export type SetSessionConfigOptionResponse = v.InferOutput<typeof SetSessionConfigOptionResponse>;
