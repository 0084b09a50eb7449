import * as v from 'valibot';
import { preview } from '../diagnostic.ts';
import { issuesOf } from '../issue.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { Dialect, DialectName } from '../protocol/dialect.ts';
import { dialectNamed } from '../protocol/negotiate.ts';
import { initialize as initializeV1 } from '../protocol/v1/initialization.ts';
import { updates as updatesV1 } from '../protocol/v1/update.ts';
import { initialize as initializeV2 } from '../protocol/v2/initialization.ts';
import { updates as updatesV2 } from '../protocol/v2/update.ts';

interface Wire {
  readonly initialize: { readonly result: v.GenericSchema | undefined };
  readonly updates: Readonly<Record<string, v.GenericSchema>>;
}

const wires: Readonly<Record<1 | 2, Wire>> = {
  1: { initialize: initializeV1, updates: updatesV1 },
  2: { initialize: initializeV2, updates: updatesV2 },
};

/** Holds what a script sends against what the protocol says. */
export interface ScriptChecks {
  /** @throws `TypeError` if the agent does not answer this method so. */
  result(method: string, result: unknown): void;
  /** @throws `TypeError` if an agent does not send this: a request or a notification, an update too. */
  message(method: string, params: unknown): void;
}

/** The checks of one dialect. Methods and updates whose names begin with `_` are the agent's own. */
export function scriptChecks(name: DialectName): ScriptChecks {
  const dialect = dialectNamed(name);
  const { initialize, updates } = wires[dialect.protocolVersion];

  const update = (params: unknown) => {
    const sent = isJsonObject(params) ? params['update'] : undefined;
    const tag = isJsonObject(sent) ? sent['sessionUpdate'] : undefined;
    if (typeof tag !== 'string') throw wrong(dialect, 'an update', 'sessionUpdate is missing', sent);
    if (tag.startsWith('_')) return;
    const schema = Object.hasOwn(updates, tag) ? updates[tag] : undefined;
    if (!schema) throw wrong(dialect, `the update ${tag}`, 'there is none of this name', sent);
    hold(dialect, `the update ${tag}`, schema, sent);
  };

  return {
    result(method, result) {
      if (method.startsWith('_')) return;
      const descriptor =
        method === 'initialize'
          ? initialize
          : Object.hasOwn(dialect.agentMethods, method) && dialect.agentMethods[method];
      if (!descriptor) {
        throw wrong(dialect, `an answer to ${method}`, 'an agent has no such method', result);
      }
      if (descriptor.result) hold(dialect, `the answer to ${method}`, descriptor.result, result);
    },
    message(method, params) {
      if (method.startsWith('_')) return;
      const descriptor = Object.hasOwn(dialect.clientMethods, method) && dialect.clientMethods[method];
      if (!descriptor) throw wrong(dialect, method, 'a client has no such method', params);
      hold(dialect, method, descriptor.params, params);
      if (method === 'session/update') update(params);
    },
  };
}

function hold(dialect: Dialect, what: string, schema: v.GenericSchema, given: unknown): void {
  // As it is on the wire, where a key that holds `undefined` is none.
  const sent: unknown = JSON.parse(JSON.stringify(given ?? null));
  const result = v.safeParse(schema, sent);
  if (!result.success) {
    const said = issuesOf(result.issues, 'the whole').map(({ path, message }) => `${path}: ${message}`);
    throw wrong(dialect, what, said.join('; '), sent);
  }
  // The schemas forgive what a client can do without. A script is to be right.
  const forgiven = differenceAt(sent, result.output, '');
  if (forgiven !== undefined) {
    throw wrong(
      dialect,
      what,
      `${forgiven || 'the whole'} is not of its type; a client passes over it`,
      sent,
    );
  }
}

function wrong({ name }: Dialect, what: string, why: string, sent: unknown): TypeError {
  return new TypeError(
    `The script sends ${what}, which is not what ${name} says: ${why}. It is ${preview(sent)}. Correct the script, or send it over agent.channel if it is meant to be wrong.`,
  );
}

/** Where two values differ first, as a path; nothing where they do not. */
function differenceAt(sent: unknown, read: unknown, path: string): string | undefined {
  if (Array.isArray(sent) && Array.isArray(read)) {
    if (sent.length !== read.length) return path;
    return firstOf(sent.map((item, place) => differenceAt(item, read[place], `${path}[${place}]`)));
  }
  if (isJsonObject(sent) && isJsonObject(read)) {
    const keys = Object.keys({ ...sent, ...read });
    const at = (key: string) => (path === '' ? key : `${path}.${key}`);
    return firstOf(keys.map((key) => differenceAt(sent[key], (read as JsonObject)[key], at(key))));
  }
  return Object.is(sent, read) ? undefined : path;
}

function firstOf(paths: readonly (string | undefined)[]): string | undefined {
  return paths.find((path) => path !== undefined);
}
