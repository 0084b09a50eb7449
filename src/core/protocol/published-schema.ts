/**
 * The published schemas of the protocol that this package was checked against: the npm package that contains them, and
 * its version, for version 1 and version 2 of the protocol. The schemas have no version number of their own in the
 * package. `beyond` names what this package knows and these schemas do not have, by the name on the wire: it follows
 * pages of the protocol's authors, and was compared with no schema.
 *
 * @example
 * ```ts
 * console.log(`Checked against ${protocolSchema.package} ${protocolSchema.v1}`);
 * ```
 */
export const protocolSchema = {
  package: '@agentclientprotocol/sdk',
  v1: '2.4.0',
  v2: '2.4.0',
  beyond: [
    'replay_complete',
    'idempotencyKey',
    'session/options',
    'prompt_suggestions_update',
    'cursor_update',
    'cursorId',
    'skill',
    'speed',
    'session/inject',
    'session/revoke_inject',
  ],
} as const;
