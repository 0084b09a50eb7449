import { isJsonObject } from '../../base/json.ts';
import * as v from '../vocabulary.ts';

const setting = { configId: v.string(), _meta: v.meta };
const initialBoolean = v.struct({ ...setting, type: v.literal('boolean'), value: v.boolean() });
const initialId = v.struct({ ...setting, value: v.string() });

/**
 * A value with which a session starts. Without a `type`, it is the id of a choice. Not in the published schemas yet.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */
export const InitialSessionConfigOption: v.Schema<
  v.InferOutput<typeof initialBoolean> | v.InferOutput<typeof initialId>
> = v.lazy((input) => (isJsonObject(input) && input['type'] === 'boolean' ? initialBoolean : initialId));
