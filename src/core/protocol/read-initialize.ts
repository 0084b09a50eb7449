import { type JsonObject, omitNullish } from '../base/json.ts';
import type { Implementation } from '../model/session.ts';
import type { AuthMethod, AuthVariable } from './dialect.ts';
import * as v from './vocabulary.ts';

/** `info`, or `agentInfo` in version 1 and in earlier drafts of version 2. */
const Info = v.nullish(v.struct({ name: v.string(), version: v.string(), title: v.nullableString }));

const Variable = v.struct({
  name: v.string(),
  label: v.nullableString,
  secret: v.nullish(v.boolean()),
  optional: v.nullish(v.boolean()),
  _meta: v.meta,
});

const ListedVariables: v.Schema<readonly { name: string; value: string }[]> = v.array(
  v.struct({ name: v.string(), value: v.string() }),
);

const Method = v.struct({
  methodId: v.lenient(v.string()),
  id: v.lenient(v.string()),
  name: v.string(),
  description: v.nullableString,
  type: v.nullableString,
  args: v.optionalNullable(v.array(v.string())),
  env: v.optionalNullable(v.lazy((input) => (Array.isArray(input) ? ListedVariables : v.record(v.string())))),
  vars: v.nullish(v.lenientArray(Variable)),
  link: v.nullableString,
  _meta: v.meta,
});

const InitializeResult = v.struct({
  info: Info,
  agentInfo: Info,
  authMethods: v.lenient(v.lenientArray(Method)),
});

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

const TerminalCommand = v.struct({
  command: v.string(),
  args: v.nullish(v.array(v.string())),
  env: v.nullish(v.record(v.string())),
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
