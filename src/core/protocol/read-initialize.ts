import * as v from 'valibot';
import { type JsonObject, omitNullish } from '../base/json.ts';
import type { Implementation } from '../model/session.ts';
import type { AuthMethod, AuthVariable } from './dialect.ts';
import {
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  optionalNullable,
  record,
  struct,
} from './vocabulary.ts';

/** `info`, or `agentInfo` in version 1 and in earlier drafts of version 2. */
const Info = nullish(struct({ name: v.string(), version: v.string(), title: nullableString }));

const Variable = struct({
  name: v.string(),
  label: nullableString,
  secret: nullish(v.boolean()),
  optional: nullish(v.boolean()),
  _meta: meta,
});

const Method = struct({
  methodId: lenient(v.string()),
  id: lenient(v.string()),
  name: v.string(),
  description: nullableString,
  type: nullableString,
  args: optionalNullable(v.array(v.string())),
  env: optionalNullable(
    v.union([v.array(struct({ name: v.string(), value: v.string() })), record(v.string())]),
  ),
  vars: nullish(lenientArray(Variable)),
  link: nullableString,
  _meta: meta,
});

const InitializeResult = struct({ info: Info, agentInfo: Info, authMethods: lenient(lenientArray(Method)) });

/** Reads the parts of an `initialize` result that all versions have, in the spelling of any version. Never throws. */
export function readInitialize(result: JsonObject): {
  readonly agentInfo: Implementation | undefined;
  readonly authMethods: readonly AuthMethod[];
} {
  // Every key is lenient, so the parse cannot fail.
  const {
    info,
    agentInfo,
    authMethods = [],
  } = v.safeParse(InitializeResult, result).output as v.InferOutput<typeof InitializeResult>;
  return { agentInfo: info ?? agentInfo ?? undefined, authMethods: authMethods.flatMap(authMethod) };
}

function authMethod(method: v.InferOutput<typeof Method>): readonly AuthMethod[] {
  const { methodId = method.id, name, description, type, vars, link, _meta } = method;
  if (methodId === undefined) return [];
  const base = { methodId, name, description: description ?? null };
  const terminal = type == null || type === 'agent' ? terminalCommandIn(_meta) : undefined;
  if (terminal) return [{ ...base, type: 'terminal', ...terminal, ...omitNullish({ link, _meta }) }];
  const { args, env } = method;
  return [
    {
      ...base,
      type: type ?? 'agent',
      ...omitNullish({ args, env: env && variables(env), vars: vars?.map(variable), link, _meta }),
    },
  ];
}

const TerminalCommand = struct({
  command: v.string(),
  args: nullish(v.array(v.string())),
  env: nullish(record(v.string())),
});

/**
 * The command in `_meta["terminal-auth"]`. Agents send it from before the type `terminal` was a part of the protocol. A
 * method with it cannot be used through the connection.
 */
export function terminalCommandIn(
  meta: JsonObject | null | undefined,
): (Pick<AuthMethod, 'env'> & Required<Pick<AuthMethod, 'command' | 'args'>>) | undefined {
  const given = meta?.['terminal-auth'];
  const { success, output } = v.safeParse(TerminalCommand, given);
  if (!success) return undefined;
  const { command, args, env } = output;
  return { command, args: args ?? [], ...(env && { env }) };
}

function variable({ name, label, secret, optional, _meta }: v.InferOutput<typeof Variable>): AuthVariable {
  return { name, ...omitNullish({ label, secret, optional, _meta }) };
}

function variables(env: NonNullable<v.InferOutput<typeof Method>['env']>): Readonly<Record<string, string>> {
  // `Array.isArray` does not narrow a union of an array and a readonly record.
  return Array.isArray(env)
    ? Object.fromEntries(env.map(({ name, value }) => [name, value]))
    : (env as never);
}
