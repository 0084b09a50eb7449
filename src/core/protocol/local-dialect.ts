import * as v from 'valibot';
import type { JsonValue } from '../base/json.ts';
import type { AnyUpdate } from '../model/client-update.ts';
import type { Dialect } from './dialect.ts';
import type { AgentMethod, ClientMethod, Failure } from './method.ts';
import type { PathConversions } from './path-map.ts';
import { type ConvertPath, replacePaths } from './replace-paths.ts';
import { RequestPermissionSubject, ToolCallUpdate } from './v2/tool-calls.ts';
import { updates } from './v2/update.ts';
import type { Schema } from './vocabulary.ts';

/**
 * The schemas that find the paths in updates of the neutral model, which names its fields as version 2 does. Version 1
 * has one update more.
 */
const neutralUpdates: Readonly<Record<string, v.GenericSchema>> = { ...updates, tool_call: ToolCallUpdate };

/**
 * The same dialect for an agent that sees other paths than the editor: what it reads has the editor's paths, and what
 * it writes has the agent's. The schemas say which values are paths.
 */
export function localDialect(dialect: Dialect, { toAgent, toEditor }: PathConversions): Dialect {
  const agentMethod = ({ params, result, ...method }: AgentMethod): AgentMethod => ({
    ...method,
    params: converted(params, toAgent),
    result: result && converted(result, toEditor),
    readPaths: (received) => (result ? replacePaths(result, received, toEditor) : received),
  });
  // No answer of a client has a path.
  const clientMethod = (method: ClientMethod): ClientMethod => ({
    ...method,
    params: converted(method.params, toEditor),
    writeFailure: (failure) => localFailure(failure, toAgent),
  });
  const localUpdate = <T extends AnyUpdate>(update: T): T => {
    const { sessionUpdate: tag } = update;
    const schema = Object.hasOwn(neutralUpdates, tag) ? neutralUpdates[tag] : undefined;
    return schema ? replacePaths(schema, update, toEditor) : update;
  };
  return {
    ...dialect,
    calls: mapValues(dialect.calls, (call) => call && { ...call, descriptor: agentMethod(call.descriptor) }),
    agentMethods: mapValues(dialect.agentMethods, agentMethod),
    clientMethods: mapValues(dialect.clientMethods, clientMethod),
    normalize(received) {
      const normalized = dialect.normalize(received);
      const { update } = normalized;
      if (!update) return normalized;
      const more = normalized.more?.map(localUpdate);
      return { ...normalized, update: localUpdate(update), ...(more && { more }) };
    },
    normalizePermission(params) {
      const permission = dialect.normalizePermission(params);
      if (!('options' in permission)) return permission;
      return {
        ...permission,
        toolCall: permission.toolCall && localUpdate(permission.toolCall),
        subject: replacePaths(RequestPermissionSubject, permission.subject, toEditor),
      };
    },
  };
}

/** The schema with the paths of its output converted. */
function converted<T>(schema: Schema<T>, convert: ConvertPath): Schema<T> {
  return v.pipe(
    schema,
    v.transform((output) => replacePaths(schema, output, convert)),
  );
}

function mapValues<T extends object>(table: T, map: (value: T[keyof T]) => unknown): T {
  // `map` returns for each entry what may take its place.
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value)])) as T;
}

/**
 * Converts the paths in an error that a handler answers with: the texts of its data that are paths, and the same texts
 * in its message. An agent cannot use a path of the editor.
 */
function localFailure({ message, data }: Failure, toAgent: ConvertPath): Failure {
  if (data === undefined) return { message, data };
  const replaced = new Map<string, string>();
  const local: JsonValue = JSON.parse(JSON.stringify(data), (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const converted = toAgent(value);
    if (converted !== value) replaced.set(value, converted);
    return converted;
  });
  return { message: replaceTexts(message, replaced), data: local };
}

/** Replaces texts in one pass, the longest first: a path can begin with another one. */
function replaceTexts(text: string, replacements: ReadonlyMap<string, string>): string {
  if (replacements.size === 0) return text;
  const longestFirst = [...replacements.keys()].sort((one, other) => other.length - one.length);
  const patterns = longestFirst.map((each) => each.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return text.replace(new RegExp(patterns.join('|'), 'g'), (found) => replacements.get(found) ?? found);
}
