import * as v from '../vocabulary.ts';

const setting = { configId: v.string(), _meta: v.meta };

/**
 * A value with which a session starts. Not in the published schemas yet.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */
export const InitialSessionConfigOption = v.openVariant(
  'type',
  {
    id: v.struct({ ...setting, value: v.string() }),
    boolean: v.struct({ ...setting, value: v.boolean() }),
  },
  { ...setting, value: v.json },
);
