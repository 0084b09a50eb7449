import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/core/base/json.ts';
import type { CallName } from '../../src/core/protocol/calls.ts';
import type { Dialect, DialectName } from '../../src/core/protocol/dialect.ts';
import { scriptChecks } from '../../src/records/testing/check-script.ts';
import { knownNames } from '../../src/records/testing/unknown-parts.ts';
import { everything } from '../support/agents.ts';
import { neutralParams } from '../support/neutral-params.ts';
import { type Defs, judge, officialDefs } from '../support/official-schema.ts';
import { runs } from '../support/runs.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { dialects, outside, schemas, versions } from './ours.ts';

/** A message as the authors of tests write it. */
interface Sent {
  readonly kind: 'update' | 'answer' | 'message';
  /** The kind of the update, or the method. */
  readonly name: string;
  readonly content: JsonObject;
}

const update = (name: string, content: JsonObject): Sent => ({ kind: 'update', name, content });
const answer = (name: string, content: JsonObject): Sent => ({ kind: 'answer', name, content });
const message = (name: string, content: JsonObject): Sent => ({ kind: 'message', name, content });

const text = { type: 'text', text: 'Hi.' };
/** A Markdown plan. */
const document = (more: JsonObject) =>
  update('plan_update', { plan: { type: 'markdown', planId: 'p', content: '# Plan', ...more } });
const entry = { content: 'Read', priority: 'high', status: 'pending' };

const chunk = (content: unknown, more: JsonObject = {}) =>
  update('agent_message_chunk', { messageId: 'm', content, ...more } as JsonObject);

/** An updated tool call, which both versions have. */
const tool = (more: JsonObject) => update('tool_call_update', { toolCallId: 't', ...more });
const shows = (...content: readonly unknown[]) => tool({ content } as JsonObject);

const form = (more: JsonObject) =>
  message('elicitation/create', {
    sessionId: 's',
    mode: 'form',
    message: 'Which one?',
    requestedSchema: { type: 'object', properties: {} },
    ...more,
  });
const asks = (property: JsonObject) =>
  form({ requestedSchema: { type: 'object', properties: { a: property } } });
const select = {
  type: 'select',
  name: 'Mode',
  currentValue: 'ask',
  options: [{ value: 'ask', name: 'Ask' }],
};

/** Fields that do not exist, and what a newer schema refuses. The published schema lets them pass. */
const misspelt: readonly Sent[] = [
  document({ path: 'PLAN.md' }),
  update('plan_update', { plan: { type: 'file', planId: 'p', uri: 'file:///PLAN.md' } }),
  update('user_message_chunk', { messageId: 'm', content: text, messageld: 'm' }),
  chunk({ ...text, anotations: {} }),
  chunk({ type: 'resource', resource: { uri: 'file:///a', text: 'A', mimetype: 'text/plain' } }),
  tool({ titel: 'T' }),
  tool({ rawinput: {} }),
  shows({ type: 'content', content: { ...text, lang: 'en' } }),
  tool({ locations: [{ path: '/a', column: 3 }] }),
  update('usage_update', { used: 1, size: 200, total: 3 }),
  asks({ type: 'string', minlength: 1 }),
  answer('session/new', { sessionId: 's', model: 'x' }),
  answer('session/list', { sessions: [], cursor: 'next' }),
  answer('session/close', { ok: true }),
];

/** Names that are reserved for the protocol: those of extensions begin with `_`. The published schema lets them pass. */
const stricter: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [
    ...misspelt,
    update('notice', { severity: 'fatal', title: 'Careful.' }),
    update('config_option_update', { configOptions: [{ id: 'mode', ...select, category: 'modes' }] }),
    answer('initialize', { ...everything.v1, capabilities: {} }),
  ],
  2: [
    ...misspelt,
    update('agent_mesage_chunk', { messageId: 'm', content: text }),
    chunk({ type: 'txt', text: 'Hi.' }),
    shows(text),
    tool({ status: 'done' }),
    tool({ kind: 'exec' }),
    update('state_update', { state: 'busy' }),
    update('state_update', { state: 'idle', stopReason: 'done' }),
    update('plan_update', { plan: { type: 'items', planId: 'p', entries: [{ ...entry, priority: 'hi' }] } }),
    answer('initialize', { ...everything['v2-baseline'], agentCapabilities: {} }),
  ],
};

const newerInBoth: readonly Sent[] = [
  shows({ type: 'session', sessionId: 'child' }),
  update('subagent_update', { sessionId: 'child', state: { state: 'running' } }),
  update('session_message_chunk', { messageId: 'm', content: text }),
  document({ path: 'C:\\work\\PLAN.md' }),
  update('cursor_update', {
    cursorId: 'c',
    anchor: { type: 'tool_call', toolCallId: 't', position: 'after' },
    capabilities: { fork: {} },
  }),
];

const fast = { name: 'Fast', type: 'boolean', currentValue: true, category: 'speed' };
const skill = { type: 'skill', name: 'pdf' };

/** What became a part of the protocol after the release of the published schemas. */
const newer: Readonly<Record<1 | 2, readonly Sent[]>> = {
  1: [...newerInBoth, update('config_option_update', { configOptions: [{ ...fast, id: 'fast' }] })],
  2: [
    ...newerInBoth,
    update('config_option_update', { configOptions: [{ ...fast, configId: 'fast' }] }),
    answer('initialize', {
      protocolVersion: 2,
      info: { name: 'a', version: '1' },
      capabilities: { session: { prompt: { skill: { inline: {} } } } },
    }),
    update('user_message', { messageId: 'm', content: [skill] }),
    update('available_commands_update', {
      availableCommands: [{ ...skill, description: 'Reads', path: '/s/SKILL.md' }],
    }),
  ],
};

const dialectOf: Readonly<Record<1 | 2, DialectName>> = { 1: 'v1', 2: 'v2-baseline' };

interface Message {
  readonly def: string;
  readonly method: string;
  readonly kind: 'result' | 'message';
}

/** What an agent sends, by the names of the published schema. */
function messagesOf(defs: Defs): readonly Message[] {
  return Object.entries(defs).flatMap(([def, { 'x-method': method, 'x-side': side }]) => {
    if (!method || side === 'proxy') return [];
    const isAnswer = def.endsWith('Response');
    if (isAnswer ? side !== 'agent' : side === 'agent') return [];
    return [{ def, method, kind: isAnswer ? ('result' as const) : ('message' as const) }];
  });
}

/** The definitions that are sets of names, and whether they allow others. */
function setsOfNames(defs: Defs) {
  return Object.entries(defs).flatMap(([def, { anyOf, oneOf }]) => {
    const branches = (anyOf ?? oneOf ?? []).map((branch) => (typeof branch === 'object' ? branch : {}));
    const names = branches.flatMap((branch) => (typeof branch.const === 'string' ? [branch.const] : []));
    return names.length === 0 ? [] : [{ def, names, isOpen: names.length < branches.length }];
  });
}

/**
 * Why the kit refuses what the published schema accepts: the field does not exist, the name is reserved for the
 * protocol, a terminal login is malformed, which the schema takes for another login, a plan is in a file in a way of its
 * own, or a priority is not that of version 2.
 */
const stricterRule =
  /is not a field of the protocol|, or a name that begins with "_"; got|authMethods\.\d+\.(args|env)\b|plan\.path\b|got "file"|annotations\.priority\b/;

/** What the kit accepts and the published schema refuses. */
function isLooser({ def }: Message, instance: unknown): boolean {
  // A client refuses an agent's own mode in any case, whatever it is scoped to.
  if (!isJsonObject(instance)) return false;
  if (def === 'CancelRequestNotification') return instance['requestId'] === null;
  return def === 'CreateElicitationRequest' && String(instance['mode']).startsWith('_');
}

describe.each(versions)('a script in version %i', (version) => {
  const defs = officialDefs(version);
  const messages = messagesOf(defs);
  const accepts = judge(defs, { formats: false });
  const checks = scriptChecks(dialectOf[version]);

  /** What the published schema says, and what the kit says. A method of the agent's own has no definition. */
  function judged({ kind, name, content }: Sent) {
    const isUpdate = kind === 'update';
    const method = isUpdate ? 'session/update' : name;
    const sent = isUpdate ? { sessionId: 's', update: { sessionUpdate: name, ...content } } : content;
    const call = kind === 'answer' ? 'result' : 'message';
    const def = messages.find((each) => each.method === method && each.kind === call)?.def;
    if (def === undefined && !method.startsWith('_')) throw new Error(`No definition of ${method}`);
    return {
      isPublished: def === undefined || accepts(def, sent),
      refusal: refusalOf(() => checks[call](method, sent)),
    };
  }

  it.each(setsOfNames(defs))('knows the names of $def', ({ def, names, isOpen }) => {
    const schema = schemas[version][def];
    // Other schemas have the names themselves.
    if (schema?.type !== 'string') return;
    const known = knownNames[version][isOpen ? 'extensible' : 'closed'];
    const all = def === 'SessionConfigOptionCategory' ? [...names, 'speed'] : names;
    expect(known.get(schema)?.toSorted()).toEqual(all.toSorted());
  });

  it.each(stricter[version])('may not send what the schema permits, the $kind $name: $content', (sent) => {
    expect(judged(sent)).toEqual({ isPublished: true, refusal: expect.stringMatching(stricterRule) });
  });

  it.each(newer[version])('may send what is newer than the schema, the $kind $name: $content', (sent) => {
    expect(judged(sent).refusal).toBeUndefined();
  });

  it.each(messages)('$def is checked as by the published schema', (sent) => {
    const { def, method, kind } = sent;
    const instances = instanceOf(defs, def);
    fc.assert(
      fc.property(fc.oneof(instances, mutationsOf(instances)), (instance) => {
        const refusal = refusalOf(() => checks[kind](method, instance));
        const isAccepted = accepts(def, instance);
        if (isAccepted ? stricterRule.test(refusal ?? '') : isLooser(sent, instance)) return;
        expect({ instance, refusal, isAccepted: refusal === undefined }).toEqual({
          instance,
          refusal,
          isAccepted,
        });
      }),
      { numRuns: runs(100) },
    );
  });
});

function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

/** The definition of a method's parameters, or of its answer. */
function defOf(defs: Defs, method: string, side: 'agent' | 'client', ending: RegExp): string {
  const found = Object.entries(defs).find(
    ([name, def]) => def['x-method'] === method && def['x-side'] === side && ending.test(name),
  );
  if (!found) throw new Error(`No definition for ${method}`);
  return found[0];
}

const settings = { numRuns: runs(60) };

describe.each(versions)('messages of the client in version %i', (version) => {
  const defs = officialDefs(version);
  const accepts = judge(defs, { formats: true });
  const all = dialects[version].flatMap((dialect) =>
    (Object.keys(dialect.calls) as CallName[]).map((call) => ({ dialect, name: dialect.name, call })),
  );
  const made = all.filter(({ dialect, call, name }) => {
    const loadsAsV1 = name === 'v2-markers' && call === 'loadSession';
    const method = dialect.calls[call]?.descriptor.method;
    // `session/set_model` was removed from the official schema.
    return method !== undefined && !outside.includes(method) && !loadsAsV1 && call !== 'setModel';
  });

  it.each(made)('$call in $name is valid in the official schema', ({ dialect, call }) => {
    fc.assert(
      fc.property(neutralParams[call] as fc.Arbitrary<unknown>, (input) => {
        const made = encoded(dialect, call, input);
        const def = defOf(defs, made.method, 'agent', /(Request|Notification)$/);
        expect({ sent: made.params, accepted: accepts(def, made.params) }).toEqual({
          sent: made.params,
          accepted: true,
        });
      }),
      settings,
    );
  });

  const answered = Object.values(dialects[version][0]?.clientMethods ?? {}).filter(({ result }) => result);

  it.each(answered)('only valid results of $method are sent', ({ method, result }) => {
    const def = defOf(defs, method, 'client', /Response$/);
    const instances = instanceOf(defs, def);
    let sent = 0;
    fc.assert(
      fc.property(fc.oneof(instances, mutationsOf(instances)), (answer) => {
        const ours = v.safeParse(result as v.GenericSchema, answer);
        if (!ours.success) return;
        sent += 1;
        // The MCP server's own answer is handed on unread.
        if (method !== 'mcp/message')
          expect({ answer, ok: accepts(def, ours.output) }).toEqual({ answer, ok: true });
      }),
      settings,
    );
    expect(sent).toBeGreaterThan(0);
  });
});

function encoded(dialect: Dialect, name: CallName, input: unknown) {
  const call = dialect.calls[name];
  if (!call) throw new Error(`${dialect.name} has no ${name}`);
  // The arbitrary is the one of this call.
  const wire = call.encode(input as never);
  return { method: call.descriptor.method, params: v.parse(call.descriptor.params, wire) };
}
