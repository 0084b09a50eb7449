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
  const { methodId = method.id, name, description, type, args, env, vars, link, _meta } = method;
  if (methodId === undefined) return [];
  return [
    {
      methodId,
      name,
      description: description ?? null,
      type: type ?? 'agent',
      ...omitNullish({ args, env: env && variables(env), vars: vars?.map(variable), link, _meta }),
    },
  ];
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
