import * as v from 'valibot';
import { isJsonObject } from '../../base/json.ts';
import { agentRequest } from '../method.ts';
import { json, meta, nullableString, optionalNullable, record, type Schema, struct } from '../vocabulary.ts';

export const AuthMethodAgent = struct({
  id: v.string(),
  name: v.string(),
  description: nullableString,
  _meta: meta,
});
export type AuthMethodAgent = v.InferOutput<typeof AuthMethodAgent>;

export const AuthMethodTerminal = struct({
  ...AuthMethodAgent.entries,
  args: optionalNullable(v.array(v.string())),
  env: optionalNullable(record(v.string())),
});
export type AuthMethodTerminal = v.InferOutput<typeof AuthMethodTerminal>;

/** The default type is `agent`. */
export const AuthMethod: Schema<({ type: 'terminal' } & AuthMethodTerminal) | AuthMethodAgent> = v.lazy(
  (input) => (isJsonObject(input) && input['type'] === 'terminal' ? AuthMethodTerminal : AuthMethodAgent),
);
export type AuthMethod = v.InferOutput<typeof AuthMethod>;

export const AuthenticateRequest = struct({ methodId: v.string(), _meta: meta });
export type AuthenticateRequest = v.InferOutput<typeof AuthenticateRequest>;

/** @see https://agentclientprotocol.com/protocol/v1/authentication#protocol-driven-authentication */
export const authenticate = agentRequest({
  method: 'authenticate',
  params: AuthenticateRequest,
  result: json,
  requires: 'auth.login',
});

export const LogoutRequest = struct({ _meta: meta });
export type LogoutRequest = v.InferOutput<typeof LogoutRequest>;

/** @see https://agentclientprotocol.com/protocol/v1/authentication#logging-out */
export const logout = agentRequest({
  method: 'logout',
  params: LogoutRequest,
  result: json,
  requires: 'auth.logout',
});
