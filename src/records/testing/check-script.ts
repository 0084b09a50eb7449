import * as v from 'valibot';
import { preview } from '../../core/base/diagnostic.ts';
import { issuesOf, listed } from '../../core/base/issue.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { EnvVariable } from '../../core/protocol/both/session-setup.ts';
import { StateUpdate } from '../../core/protocol/both/state.ts';
import type { Dialect, DialectName } from '../../core/protocol/dialect.ts';
import { dialects, sessionMethods } from '../../core/protocol/dialects.ts';
import { droppedParts } from '../../core/protocol/dropped.ts';
import * as initialization1 from '../../core/protocol/v1/initialization.ts';
import { PromptResponse as PromptResponse1 } from '../../core/protocol/v1/prompt-turn.ts';
import { SetSessionConfigOptionResponse as SetOptionResponse1 } from '../../core/protocol/v1/session-config-options.ts';
import { CreateTerminalRequest } from '../../core/protocol/v1/terminals.ts';
import { updates as updates1 } from '../../core/protocol/v1/update.ts';
import * as initialization2 from '../../core/protocol/v2/initialization.ts';
import { PromptResponse as PromptResponse2 } from '../../core/protocol/v2/prompt-lifecycle.ts';
import { SetSessionConfigOptionResponse as SetOptionResponse2 } from '../../core/protocol/v2/session-config-options.ts';
import { SessionInjectMode } from '../../core/protocol/v2/session-inject.ts';
import { updates as updates2 } from '../../core/protocol/v2/update.ts';
import {
  empty,
  json,
  lenient,
  marker,
  meta,
  nonEmptyArray,
  nullish,
  openEnum,
  optional,
  optionalNullable,
  struct,
} from '../../core/protocol/vocabulary.ts';
import { orExtension, unknownParts } from './unknown-parts.ts';

/** Follows the replays that a script sends. What is wrong is returned as a reason. */
export function replayChecks({ name, agentMethods }: Dialect) {
  // The other dialects have no end of a replay, or do not require it.
  const isRequired = name === 'v2-baseline';
  /** Whether the end of the history is due, or has come, by the session of a request that is not answered yet. */
  const replays = new Map<string, 'due' | 'complete'>();
  const subagents = new Set<string>();
  const isReplayed = (method: string, params: JsonObject) =>
    isRequired && Object.hasOwn(agentMethods, method) && agentMethods[method]?.replays?.(params) === true;
  const endOf = (params: JsonObject) => {
    const sessionId = String(params['sessionId']);
    const replay = replays.get(sessionId);
    replays.delete(sessionId);
    return replay;
  };
  return {
    requested(method: string, params: JsonObject): void {
      if (isReplayed(method, params)) replays.set(String(params['sessionId']), 'due');
    },
    update({ sessionId, update }: JsonObject): string | undefined {
      if (!isRequired || !isJsonObject(update)) return undefined;
      const { sessionUpdate, sessionId: subagent } = update;
      if (sessionUpdate === 'subagent_update') subagents.add(String(subagent));
      // A subagent that is announced meanwhile has an end of its own.
      if (sessionUpdate !== 'replay_complete' || subagents.has(String(sessionId))) return undefined;
      const replay = replays.get(String(sessionId));
      if (replay === undefined) return 'the client did not ask for a replay of this session';
      if (replay === 'complete') return 'it was sent already for this request';
      replays.set(String(sessionId), 'complete');
      return undefined;
    },
    answered(method: string, params: JsonObject): string | undefined {
      if (!isReplayed(method, params) || endOf(params) !== 'due') return undefined;
      return 'the update replay_complete must come before it, after the history';
    },
    refused: (method: string, params: JsonObject): void => {
      if (isReplayed(method, params)) endOf(params);
    },
  };
}

type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** What an agent of a dialect sends, where the client reads more than the protocol allows. */
interface Wire {
  /** Requests and notifications, by their method. */
  readonly messages: Schemas;
  /** Answers, by their method. */
  readonly results: Schemas;
  readonly updates: Schemas;
}

/** A proposal, which the published schema does not have. */
const inject = nullish(
  struct({
    modes: nonEmptyArray(SessionInjectMode),
    steerInStream: optionalNullable(nonEmptyArray(openEnum<'interrupt' | 'finish'>())),
    pending: nullish(struct({ replace: nullish(v.boolean()), _meta: meta })),
    _meta: meta,
  }),
);

/** The answer to `initialize` in version 2, with the capabilities of sessions that a dialect has in addition. */
const initializeResponse2 = (entries: Readonly<Record<string, v.GenericSchema>>) => {
  const session = struct({ ...initialization2.SessionCapabilities.entries, inject, ...entries });
  const capabilities = struct({ ...initialization2.AgentCapabilities.entries, session: nullish(session) });
  return struct({ ...initialization2.InitializeResponse.entries, capabilities: lenient(capabilities) });
};

const wires: Readonly<Record<DialectName, Wire>> = {
  v1: {
    messages: {
      'terminal/create': struct({
        ...CreateTerminalRequest.entries,
        args: optional(v.array(v.string())),
        env: optional(v.array(EnvVariable)),
      }),
    },
    results: {
      initialize: initialization1.InitializeResponse,
      'session/prompt': PromptResponse1,
      'session/set_config_option': SetOptionResponse1,
    },
    updates: updates1,
  },
  'v2-baseline': {
    messages: {},
    results: {
      initialize: initializeResponse2({}),
      'session/prompt': PromptResponse2,
      'session/set_config_option': SetOptionResponse2,
    },
    updates: { ...updates2, state_update: StateUpdate },
  },
  // The earlier draft has no published schema, and agents answer in several ways.
  'v2-markers': {
    messages: {},
    results: {
      initialize: initializeResponse2({ load: marker, resume: marker, close: marker, list: marker }),
    },
    updates: updates2,
  },
};

/** What agents answer, in all versions, and the notifications that they take. */
const { calls, initialize, cancelRequest } = sessionMethods;
const answered = new Set([...Object.keys(calls), initialize, cancelRequest]);

/** Checks what a script sends. */
export type ScriptChecks = ReturnType<typeof scriptChecks>;

/** The checks of one dialect. Methods whose names begin with `_` are the agent's own. */
export function scriptChecks(name: DialectName) {
  const dialect = dialects[name];
  const { messages, results, updates } = wires[name];
  const replays = replayChecks(dialect);

  const wrong = (what: string, why: string, sent: unknown) =>
    new TypeError(
      `The script sends ${what}, which ${name} does not allow: ${why}. Sent: ${preview(sent)}. Correct the script. To send something wrong on purpose, use agent.channel.`,
    );

  /** `tags` are the keys that have selected the schema. */
  const check = (what: string, schema: v.GenericSchema, given: unknown, tags: readonly string[] = []) => {
    // As it is on the wire, where a key that holds `undefined` is none.
    const sent: unknown = JSON.parse(JSON.stringify(given ?? null));
    const result = v.safeParse(schema, sent);
    if (!result.success) throw wrong(what, listed(issuesOf(result.issues, 'it')), sent);
    // A client reads more than the protocol allows.
    const dropped = droppedParts(schema, sent, 'it');
    if (dropped.length > 0) throw wrong(what, listed(dropped), sent);
    const unknown = unknownParts(schema, sent, tags, dialect.protocolVersion);
    if (unknown.length > 0) throw wrong(what, listed(unknown), sent);
  };

  const update = (params: unknown) => {
    const sent = isJsonObject(params) ? params['update'] : undefined;
    const tag = isJsonObject(sent) ? sent['sessionUpdate'] : undefined;
    if (typeof tag !== 'string') throw wrong('an update', 'sessionUpdate is missing', sent);
    // Version 2 can be extended with kinds of updates, and version 1 cannot.
    const isExtensible = dialect.protocolVersion === 2;
    if (isExtensible && tag.startsWith('_')) return;
    const schema = Object.hasOwn(updates, tag) ? updates[tag] : undefined;
    if (schema) {
      check(`the update ${tag}`, schema, sent, ['sessionUpdate']);
      const misplaced = isJsonObject(params) ? replays.update(params) : undefined;
      if (misplaced !== undefined) throw wrong(`the update ${tag}`, misplaced, sent);
      return;
    }
    const choices = isExtensible ? orExtension(Object.keys(updates)) : Object.keys(updates).join(', ');
    const why = `sessionUpdate must be one of ${choices}; got ${JSON.stringify(tag)}`;
    throw wrong('an update', why, sent);
  };

  return {
    /** @throws `TypeError` if no agent has the method, of any version: a script can be one for all. */
    answers(method: string): void {
      if (method.startsWith('_') || answered.has(method)) return;
      throw new TypeError(`The script answers ${method}, but no agent has this method. Correct the script.`);
    },
    requested: replays.requested,
    refused: replays.refused,
    /** @throws `TypeError` if this is not an answer to the method, or comes too early. */
    result(method: string, result: unknown, params: JsonObject = {}): void {
      if (method.startsWith('_')) return;
      const early = replays.answered(method, params);
      if (early !== undefined) throw wrong(`the answer to ${method}`, early, result);
      const schema = Object.hasOwn(results, method) ? results[method] : resultOf(dialect, method);
      if (!schema) throw wrong(`an answer to ${method}`, 'an agent has no such method', result);
      check(`the answer to ${method}`, schema, result);
    },
    /** @throws `TypeError` if this is not a request or a notification of an agent. An update is checked too. */
    message(method: string, params: unknown): void {
      if (method.startsWith('_')) return;
      const schema = Object.hasOwn(messages, method) ? messages[method] : paramsOf(dialect, method);
      if (!schema) throw wrong(method, 'a client has no such method', params);
      check(method, schema, params);
      if (method === 'session/update') update(params);
    },
  };
}

function paramsOf({ clientMethods }: Dialect, method: string): v.GenericSchema | undefined {
  return Object.hasOwn(clientMethods, method) ? clientMethods[method]?.params : undefined;
}

/** What a client reads as the answer. An answer that no client reads has no fields but `_meta`. */
function resultOf({ agentMethods }: Dialect, method: string): v.GenericSchema | undefined {
  const result = Object.hasOwn(agentMethods, method) ? agentMethods[method]?.result : undefined;
  return result === json ? empty : result;
}
