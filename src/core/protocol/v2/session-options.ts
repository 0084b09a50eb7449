import { SessionOptionsRequest } from '../both/newer.ts';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import * as v from '../vocabulary.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { AvailableCommand } from './slash-commands.ts';

/**
 * What a session would start with, and the values that it starts with. Not in the published schemas yet.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */

const setting = { configId: v.string(), _meta: v.meta };

/** @experimental */
export const InitialSessionConfigOption = v.openVariant(
  'type',
  {
    id: v.struct({ ...setting, value: v.string() }),
    boolean: v.struct({ ...setting, value: v.boolean() }),
  },
  { ...setting, value: v.json },
);

/** @experimental */
export const SessionOptionsResponse = v.struct({
  configOptions: v.lenient(v.lenientArray(SessionConfigOption)),
  availableCommands: v.lenient(v.lenientArray(AvailableCommand)),
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
