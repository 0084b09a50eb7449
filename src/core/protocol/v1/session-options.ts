import { isJsonObject } from '../../base/json.ts';
import { SessionOptionsRequest } from '../both/newer.ts';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import * as v from '../vocabulary.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { SessionModeState } from './session-modes.ts';

/**
 * What a session would start with, and the values that it starts with. Not in the published schemas yet.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */

const initialBoolean = v.struct({
  configId: v.string(),
  type: v.literal('boolean'),
  value: v.boolean(),
  _meta: v.meta,
});
const initialId = v.struct({ configId: v.string(), value: v.string(), _meta: v.meta });

/** Without a `type`, the value is the id of a choice. @experimental */
export const InitialSessionConfigOption: v.Schema<
  v.InferOutput<typeof initialBoolean> | v.InferOutput<typeof initialId>
> = v.lazy((input) => (isJsonObject(input) && input['type'] === 'boolean' ? initialBoolean : initialId));

/** @experimental */
export const SessionOptionsResponse = v.struct({
  modes: v.nullish(SessionModeState),
  configOptions: v.nullish(v.lenientArray(SessionConfigOption)),
  _meta: v.meta,
});
/** @experimental */
export type SessionOptionsResponse = v.InferOutput<typeof SessionOptionsResponse>;

/** @see https://agentclientprotocol.com/rfds/session-options */
export const sessionOptions = agentRequest({
  method: 'session/options',
  params: SessionOptionsRequest,
  result: SessionOptionsResponse,
  requires: 'session.options',
  uses: sessionFeatures,
});
