import { isJsonObject } from '../../base/json.ts';
import * as v from '../vocabulary.ts';

export const AuthMethodAgent = v.struct({
  id: v.string(),
  name: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type AuthMethodAgent = v.InferOutput<typeof AuthMethodAgent>;

export const AuthMethodTerminal = v.struct({
  ...AuthMethodAgent.entries,
  args: v.optionalNullable(v.array(v.string())),
  env: v.optionalNullable(v.record(v.string())),
});
export type AuthMethodTerminal = v.InferOutput<typeof AuthMethodTerminal>;

/** The default type is `agent`. */
export const AuthMethod: v.Schema<({ type: 'terminal' } & AuthMethodTerminal) | AuthMethodAgent> = v.lazy(
  (input) => (isJsonObject(input) && input['type'] === 'terminal' ? AuthMethodTerminal : AuthMethodAgent),
);
export type AuthMethod = v.InferOutput<typeof AuthMethod>;

export const AuthenticateRequest = v.struct({ methodId: v.string(), _meta: v.meta });
export type AuthenticateRequest = v.InferOutput<typeof AuthenticateRequest>;

export const LogoutRequest = v.struct({ _meta: v.meta });
export type LogoutRequest = v.InferOutput<typeof LogoutRequest>;
