import * as v from 'valibot';
import { isJsonObject } from '../../base/json.ts';
import { meta, nullableString, optionalNullable, record, type Schema, struct } from '../vocabulary.ts';

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

export const LogoutRequest = struct({ _meta: meta });
export type LogoutRequest = v.InferOutput<typeof LogoutRequest>;
