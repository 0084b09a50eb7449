import {
  CapabilityError,
  ConnectionStateError,
  InvalidParamsError,
  type UsageError,
} from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { findCursor } from '../../conversation/cursors.ts';
import { findTerminal, findToolCall } from '../../conversation/select.ts';
import type { ContentBlock } from '../../model/content.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { ConfigOption } from '../../model/session.ts';
import type { Calls } from '../../protocol/calls.ts';

/** The calls that a session must offer, with their methods, which have the same name in every version. */
export const offeredCalls = {
  setMode: 'session/set_mode',
  setModel: 'session/set_model',
  setConfigOption: 'session/set_config_option',
  cancelToolCall: 'tool_call/cancel',
  cancelTerminal: 'terminal/cancel',
} as const;

export type OfferedCall = keyof typeof offeredCalls;

/** The call that sends this method. `undefined` if no session has to offer it. */
function offeredCallOf(method: string): OfferedCall | undefined {
  // Object.keys does not keep the type of the keys.
  return (Object.keys(offeredCalls) as OfferedCall[]).find((name) => offeredCalls[name] === method);
}

type Rule<K extends OfferedCall> = (
  conversation: Conversation,
  params: Calls[K][0],
  method: string,
) => UsageError | undefined;

/** What a call needs from its session, in addition to the capabilities of the agent: the session must offer it now. */
const rules: { readonly [K in OfferedCall]: Rule<K> } = {
  setMode: ({ modes }, { modeId }, method) =>
    unknownChoice(method, 'mode', modeId, modes?.availableModes.map(({ id }) => id) ?? []),
  setModel: ({ models }, { modelId }, method) =>
    unknownChoice(method, 'model', modelId, models?.availableModels.map((model) => model.modelId) ?? []),
  setConfigOption({ configOptions }, { configId, value }, method) {
    const known = configOptions.map((option) => option.configId);
    const option = configOptions[known.indexOf(configId)];
    if (!option) return unknownChoice(method, 'config option', configId, known);
    const values = valuesOf(option);
    return values && unknownChoice(method, configId, value, values);
  },
  cancelToolCall: (conversation, { toolCallId: id }, method) =>
    notCancellable(
      method,
      `The tool call ${JSON.stringify(id)}`,
      findToolCall(conversation, id)?.capabilities,
    ),
  cancelTerminal: (conversation, { terminalId: id }, method) =>
    notCancellable(
      method,
      `The terminal ${JSON.stringify(id)}`,
      findTerminal(conversation, id)?.capabilities,
    ),
};

/**
 * Checks that the session offers what the call asks for.
 *
 * @throws {@link InvalidParamsError} or {@link CapabilityError} if it does not.
 */
export function assertOffered<K extends OfferedCall>(
  name: K,
  conversation: Conversation,
  params: Calls[K][0],
): void {
  const refusal = rules[name](conversation, params, offeredCalls[name]);
  if (refusal) throw refusal;
}

/**
 * Checks that the session has what a call names: the skills of a prompt, and the cursor of a copy.
 *
 * @throws {@link InvalidParamsError} or {@link CapabilityError} if it does not.
 */
export function assertNamed(
  method: string,
  conversation: Conversation,
  {
    prompt = [],
    cursorId,
  }: { readonly prompt?: readonly ContentBlock[]; readonly cursorId?: string | null | undefined },
): void {
  const skills = conversation.commands.filter(({ type }) => type === 'skill').map(({ name }) => name);
  const named = prompt.flatMap((block) => (block.type === 'skill' ? [block.name] : []));
  const refusal =
    named.map((name) => unknownChoice(method, 'skill', name, skills)).find((error) => error !== undefined) ??
    (cursorId == null ? undefined : notForkable(method, conversation, cursorId));
  if (refusal) throw refusal;
}

/**
 * Checks a call by its name against its session, as the typed call is checked.
 *
 * @param conversation - That of the session. `undefined`: the session is not open here.
 */
export function assertRequest(
  method: string,
  params: JsonObject,
  conversation: Conversation | undefined,
): void {
  const name = offeredCallOf(method);
  if (conversation) {
    // The parameters have the same names on the wire, and the method's schema has read them.
    assertNamed(method, conversation, params as never);
    if (name) assertOffered(name, conversation, params as never);
  } else if (name) {
    const message = `${method} names the session ${JSON.stringify(params['sessionId'])}, which is not open here. Nothing was sent. Load or resume it first.`;
    throw new ConnectionStateError(message, { method });
  }
}

/** A cursor says in its updates which calls take it now. */
function notForkable(method: string, conversation: Conversation, cursorId: string) {
  const what = `The cursor ${JSON.stringify(cursorId)} cannot end a copy of the session`;
  const remedy = 'Leave cursorId out to copy the whole session.';
  return notPermitted(method, 'fork', findCursor(conversation, cursorId)?.capabilities, what, remedy);
}

/** The values of an option; `undefined` where this library does not know the type of the option. */
function valuesOf(option: ConfigOption): readonly (string | boolean)[] | undefined {
  if (option.type === 'boolean') return [true, false];
  if (option.type !== 'select') return undefined;
  return option.options.flatMap((choice) =>
    'value' in choice ? [choice.value] : choice.options.map(({ value }) => value),
  );
}

function unknownChoice(
  method: string,
  name: string,
  given: string | boolean,
  known: readonly (string | boolean)[],
): InvalidParamsError | undefined {
  if (known.includes(given)) return undefined;
  const choices = known.map((choice) => JSON.stringify(choice)).join(', ');
  const expected =
    known.length === 0 ? 'one that the session offers, and the session offers none' : `one of ${choices}`;
  const message = `${method}: ${name} must be ${expected}; got ${JSON.stringify(given)}. Nothing was sent.`;
  return new InvalidParamsError(message, { method });
}

/** A tool call or terminal advertises in its updates whether it can be cancelled. */
function notCancellable(method: string, name: string, capabilities: Permissions) {
  const what = `${name} cannot be cancelled separately`;
  return notPermitted(method, 'cancel', capabilities, what, 'Cancel the session instead.');
}

/** What the agent permits with a part of the session. `undefined`: the session does not have that part. */
type Permissions = { readonly [K in 'cancel' | 'fork']?: unknown } | null | undefined;

function notPermitted(
  method: string,
  permission: 'cancel' | 'fork',
  capabilities: Permissions,
  what: string,
  remedy: string,
): CapabilityError | undefined {
  const value = capabilities?.[permission];
  if (value) return undefined;
  const why = capabilities === undefined ? 'the session has none with this id' : 'it does not offer that now';
  const reason = `${what}: ${why}.`;
  return new CapabilityError(`${method}: ${reason} Nothing was sent. ${remedy}`, {
    method,
    missing: [{ feature: method, path: `capabilities.${permission}`, value, reason }],
  });
}
