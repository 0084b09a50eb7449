import { ConnectionStateError } from '../base/errors.ts';
import type { Caller, CheckRequest } from './calls/calls.ts';
import { assertLoginMethod } from './login-method.ts';
import type { SessionRegistry } from './session/registry.ts';
import { assertOffered, offeredCallOf } from './session/rules.ts';

/** Checks a raw request as the typed call is checked: against its session, or against the login methods. */
export function requestCheck(caller: Caller, registry: SessionRegistry): CheckRequest {
  return (method, params) => {
    const { dialect, authMethods } = caller.link;
    if (method === dialect.calls.login?.descriptor.method)
      assertLoginMethod(String(params['methodId']), authMethods);
    const name = offeredCallOf(method);
    if (!name) return;
    const open = registry.get(String(params['sessionId']));
    if (open) {
      // The parameters have the same names on the wire, and the method's schema has read them.
      assertOffered(name, open.runner.conversation, params as never);
      return;
    }
    throw new ConnectionStateError(
      `${method} names the session ${JSON.stringify(params['sessionId'])}, which is not open here. Nothing was sent. Load or resume it first.`,
      { method },
    );
  };
}
