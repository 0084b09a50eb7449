import * as v from 'valibot';
import type { JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import type { AuthMethod } from './dialect.ts';
import { lenient, lenientArray, meta, optionalNullable, patch, record, struct, text } from './vocabulary.ts';

/** Version 1 spells them `agentInfo`, `id` and an object of variables, and so did version 2 in an earlier draft. */
const Info = patch(struct({ name: v.string(), version: v.string(), title: text }));

const Method = struct({
  methodId: lenient(v.string()),
  id: lenient(v.string()),
  name: v.string(),
  description: text,
  type: text,
  args: optionalNullable(v.array(v.string())),
  env: optionalNullable(
    v.union([v.array(struct({ name: v.string(), value: v.string() })), record(v.string())]),
  ),
  _meta: meta,
});

const InitializeResult = struct({ info: Info, agentInfo: Info, authMethods: lenient(lenientArray(Method)) });

/** Reads what every version says in its answer to `initialize`, however that version spells it. */
export function readInitialize(result: JsonObject): {
  readonly agentInfo: Implementation | undefined;
  readonly authMethods: readonly AuthMethod[];
} {
  // Every key is lenient: there is no object that does not read.
  const {
    info,
    agentInfo,
    authMethods = [],
  } = v.safeParse(InitializeResult, result).output as v.InferOutput<typeof InitializeResult>;
  return { agentInfo: info ?? agentInfo ?? undefined, authMethods: authMethods.flatMap(authMethod) };
}

function authMethod(method: v.InferOutput<typeof Method>): readonly AuthMethod[] {
  const { methodId = method.id, name, description, type, args, env, _meta } = method;
  if (methodId === undefined) return [];
  return [
    {
      methodId,
      name,
      description: description ?? null,
      type: type ?? 'agent',
      ...(args && { args }),
      ...(env && { env: variables(env) }),
      ...(_meta && { _meta }),
    },
  ];
}

function variables(env: NonNullable<v.InferOutput<typeof Method>['env']>): Readonly<Record<string, string>> {
  // A list of them is told by its type here: `Array.isArray` cannot part it from a readonly record.
  return Array.isArray(env)
    ? Object.fromEntries(env.map(({ name, value }) => [name, value]))
    : (env as never);
}
