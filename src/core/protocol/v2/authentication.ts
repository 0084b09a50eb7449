import { EnvVariable } from '../both/session-setup.ts';
import * as v from '../vocabulary.ts';

export const AuthMethodAgent = v.struct({
  methodId: v.string(),
  name: v.string(),
  description: v.nullableString,
  _meta: v.meta,
});
export type AuthMethodAgent = v.InferOutput<typeof AuthMethodAgent>;

export const AuthMethodTerminal = v.struct({
  ...AuthMethodAgent.entries,
  args: v.optionalNullable(v.array(v.string())),
  env: v.optionalNullable(v.array(EnvVariable)),
});
export type AuthMethodTerminal = v.InferOutput<typeof AuthMethodTerminal>;

export const AuthMethod = v.openVariant(
  'type',
  { agent: AuthMethodAgent, terminal: AuthMethodTerminal },
  { methodId: v.string(), name: v.string() },
);
export type AuthMethod = v.InferOutput<typeof AuthMethod>;

export const LoginAuthRequest = v.struct({ methodId: v.string(), _meta: v.meta });
export type LoginAuthRequest = v.InferOutput<typeof LoginAuthRequest>;

export const LogoutAuthRequest = v.struct({ _meta: v.meta });
export type LogoutAuthRequest = v.InferOutput<typeof LogoutAuthRequest>;
