import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ConversationUpdate } from '../model/update.ts';
import type { Link } from './calls/link.ts';
import { assertLoginMethod } from './calls/login.ts';
import { assertRequest } from './session/offered-calls.ts';
import type { SessionRegistry } from './session/registry.ts';

/** Checks a raw request as the typed call is checked: against its session, or against the login methods. */
export function checkRequest(
  link: Link,
  registry: SessionRegistry,
  method: string,
  params: JsonObject,
): void {
  const { dialect, authMethods } = link;
  if (method === dialect.calls.login?.descriptor.method)
    assertLoginMethod(String(params['methodId']), authMethods);
  assertRequest(method, params, registry.get(String(params['sessionId']))?.runner.conversation);
}

/** What the answer to a request by its name changes in the conversation of the session that its parameters name. */
export function updateOfAnswer(method: string, answer: unknown): ConversationUpdate | undefined {
  if (method !== 'session/set_title' || !isJsonObject(answer)) return undefined;
  // The agent may store another title than the one that it was asked for.
  const { title } = answer;
  return typeof title === 'string' ? { sessionUpdate: 'session_info_update', title } : undefined;
}
