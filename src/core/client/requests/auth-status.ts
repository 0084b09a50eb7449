import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AuthStatus } from '../../protocol/calls.ts';

/**
 * Reads `auth/status_update`.
 *
 * @see https://agentclientprotocol.com/rfds/get-auth-state
 */
export function authStatusOf({ state, accounts }: JsonObject): AuthStatus | undefined {
  if (typeof state !== 'string') return undefined;
  return { state, accounts: Array.isArray(accounts) ? accounts.filter(isJsonObject) : [] };
}

/** Reads `_auth/status_update`, which some agents send while the method of the protocol is not stable. */
export function authStatusOfExtension({ authStatus }: JsonObject): AuthStatus | undefined {
  if (!isJsonObject(authStatus) || typeof authStatus['kind'] !== 'string') return undefined;
  const { kind, label, account } = authStatus;
  if (kind === 'none') return { state: 'unauthenticated', accounts: [] };
  const { email, organization } = isJsonObject(account) ? account : {};
  const known = {
    label: typeof label === 'string' ? label : kind,
    ...(typeof email === 'string' && { email }),
    ...(typeof organization === 'string' && { organization }),
    _meta: { authStatus },
  };
  return { state: 'authenticated', accounts: [known] };
}
