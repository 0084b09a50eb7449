import * as v from 'valibot';
import { EnvVariable } from '../both/session-setup.ts';
import { meta, nullableString, openVariant, optionalNullable, struct } from '../vocabulary.ts';

export const AuthMethodAgent = struct({
  methodId: v.string(),
  name: v.string(),
  description: nullableString,
  _meta: meta,
});
export type AuthMethodAgent = v.InferOutput<typeof AuthMethodAgent>;

export const AuthMethodTerminal = struct({
  ...AuthMethodAgent.entries,
  args: optionalNullable(v.array(v.string())),
  env: optionalNullable(v.array(EnvVariable)),
});
export type AuthMethodTerminal = v.InferOutput<typeof AuthMethodTerminal>;

export const AuthMethod = openVariant(
  'type',
  { agent: AuthMethodAgent, terminal: AuthMethodTerminal },
  { methodId: v.string(), name: v.string() },
);
export type AuthMethod = v.InferOutput<typeof AuthMethod>;

export const LoginAuthRequest = struct({ methodId: v.string(), _meta: meta });
export type LoginAuthRequest = v.InferOutput<typeof LoginAuthRequest>;

export const LogoutAuthRequest = struct({ _meta: meta });
export type LogoutAuthRequest = v.InferOutput<typeof LogoutAuthRequest>;
