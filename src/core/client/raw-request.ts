import type { Caller, CheckRequest } from './calls/calls.ts';
import { assertLoginMethod } from './login-method.ts';
import type { SessionRegistry } from './session/registry.ts';
import { assertRequest } from './session/rules.ts';

/** Checks a raw request as the typed call is checked: against its session, or against the login methods. */
export function requestCheck(caller: Caller, registry: SessionRegistry): CheckRequest {
  return (method, params) => {
    const { dialect, authMethods } = caller.link;
    if (method === dialect.calls.login?.descriptor.method)
      assertLoginMethod(String(params['methodId']), authMethods);
    assertRequest(method, params, registry.get(String(params['sessionId']))?.runner.conversation);
  };
}
