import * as v from 'valibot';
import type { JsonObject, JsonValue } from '../../../core/base/json.ts';
import type { DialectName } from '../../../core/protocol/dialect.ts';
import { dialects } from '../../../core/protocol/dialects.ts';

/** A method that a client can call, and parameters to begin with. */
export interface MethodTemplate {
  readonly method: string;
  /** The feature that the agent must support. `null`: none. */
  readonly requires: string | null;
  readonly isNotification: boolean;
  readonly params: JsonObject;
}

export type MethodTemplates = Readonly<Record<DialectName, readonly MethodTemplate[]>>;

/** The templates of all methods. `cwd` is where paths may be. */
export function methodTemplates(cwd: string): MethodTemplates {
  const of = (dialect: DialectName) =>
    Object.values(dialects[dialect].agentMethods).map(({ method, params, requires, result }) => ({
      method,
      requires: requires ?? null,
      isNotification: result === undefined,
      params: templateOf(params, cwd),
    }));
  return { v1: of('v1'), 'v2-markers': of('v2-markers'), 'v2-baseline': of('v2-baseline') };
}

/** The required parameters. All of them are texts, but for those that have a value here. */
function templateOf(schema: v.GenericSchema, cwd: string): JsonObject {
  const blocks = [{ type: 'text', text: '' }];
  const values: Readonly<Record<string, JsonValue>> = {
    cwd,
    mcpServers: [],
    prompt: blocks,
    content: blocks,
    type: 'id',
  };
  // What an object without parameters lacks.
  const { issues = [] } = v.safeParse(schema, {});
  const names = issues.flatMap((issue) => v.getDotPath(issue) ?? []);
  return Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
}
