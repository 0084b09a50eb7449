import * as v from 'valibot';
import { SessionOptionsRequest } from '../both/newer.ts';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import { json, lenient, lenientArray, meta, openVariant, struct } from '../vocabulary.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { AvailableCommand } from './slash-commands.ts';

/**
 * What a session would start with, and the values that it starts with. Not in the published schemas yet.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */

const setting = { configId: v.string(), _meta: meta };

/** @experimental */
export const InitialSessionConfigOption = openVariant(
  'type',
  {
    id: struct({ ...setting, value: v.string() }),
    boolean: struct({ ...setting, value: v.boolean() }),
  },
  { ...setting, value: json },
);

/** @experimental */
export const SessionOptionsResponse = struct({
  configOptions: lenient(lenientArray(SessionConfigOption)),
  availableCommands: lenient(lenientArray(AvailableCommand)),
  _meta: meta,
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
