import { CapabilityError, InvalidParamsError, type UsageError } from '../errors.ts';
import type { Conversation } from '../model/conversation.ts';
import type { ConfigOption } from '../model/session.ts';
import type { CancelCapability } from '../model/tool-call.ts';
import type { Calls } from '../protocol/calls.ts';

/** The calls that a session must offer, with their methods: the versions that have them agree on the names. */
export const ruledCalls = {
  setMode: 'session/set_mode',
  setConfigOption: 'session/set_config_option',
  cancelToolCall: 'tool_call/cancel',
  cancelTerminal: 'terminal/cancel',
} as const;

export type RuledCall = keyof typeof ruledCalls;

/** The call that a session must offer, by its method. */
export function ruledCallOf(method: string): RuledCall | undefined {
  // Object.keys forgets that the table has just these keys.
  return (Object.keys(ruledCalls) as RuledCall[]).find((name) => ruledCalls[name] === method);
}

type Rule<K extends RuledCall> = (
  conversation: Conversation,
  params: Calls[K][0],
  method: string,
) => UsageError | undefined;

/** What a call needs of its session, beside the agent's capabilities: that the session offers it now. */
const rules: { readonly [K in RuledCall]: Rule<K> } = {
  setMode({ modes }, { modeId }, method) {
    const known = modes?.availableModes.map(({ id }) => id) ?? [];
    return known.includes(modeId) ? undefined : unknownChoice(method, 'mode', modeId, known);
  },
  setConfigOption({ configOptions }, { configId, value }, method) {
    const option = configOptions.find((candidate) => candidate.configId === configId);
    if (!option) {
      const known = configOptions.map((candidate) => candidate.configId);
      return unknownChoice(method, 'config option', configId, known);
    }
    const values = valuesOf(option);
    if (!values || values.includes(value)) return undefined;
    return unknownChoice(method, `value of ${configId}`, value, values);
  },
  cancelToolCall({ entries }, { toolCallId }, method) {
    const entry = entries.find(
      (candidate) => candidate.kind === 'toolCall' && candidate.toolCallId === toolCallId,
    );
    const capabilities = entry?.kind === 'toolCall' ? entry.capabilities : undefined;
    return capabilities?.cancel ? undefined : notCancellable(method, 'tool call', toolCallId, capabilities);
  },
  cancelTerminal({ terminals }, { terminalId }, method) {
    const terminal = Object.hasOwn(terminals, terminalId) ? terminals[terminalId] : undefined;
    const capabilities = terminal?.capabilities;
    return capabilities?.cancel ? undefined : notCancellable(method, 'terminal', terminalId, capabilities);
  },
};

/**
 * Checks that the session offers what the call asks for.
 *
 * @throws {@link InvalidParamsError} or {@link CapabilityError} if it does not.
 */
export function assertOffered<K extends RuledCall>(
  name: K,
  conversation: Conversation,
  params: Calls[K][0],
): void {
  const refusal = rules[name](conversation, params, ruledCalls[name]);
  if (refusal) throw refusal;
}

/** What an option can be set to; `undefined` where this library does not know the option's type. */
function valuesOf(option: ConfigOption): readonly (string | boolean)[] | undefined {
  if (option.type === 'boolean') return [true, false];
  if (option.type !== 'select') return undefined;
  return option.options.flatMap((choice) =>
    'value' in choice ? [choice.value] : choice.options.map(({ value }) => value),
  );
}

function unknownChoice(
  method: string,
  what: string,
  given: string | boolean,
  known: readonly (string | boolean)[],
): InvalidParamsError {
  const choices = known.map((choice) => JSON.stringify(choice)).join(', ');
  const remedy = known.length === 0 ? 'the session offers none' : `choose one of ${choices}`;
  return new InvalidParamsError(
    `${method}: there is no ${what} ${JSON.stringify(given)}: ${remedy}. Nothing was sent.`,
    { method },
  );
}

/** What may be cancelled says so itself, in the update that last named its capabilities. */
function notCancellable(
  method: string,
  what: string,
  id: string,
  capabilities: CancelCapability | null | undefined,
): CapabilityError {
  const said = capabilities === undefined ? 'the session has none of that id' : 'it does not offer it now';
  const reason = `The ${what} ${JSON.stringify(id)} cannot be cancelled by itself: ${said}.`;
  return new CapabilityError(`${method}: ${reason} Nothing was sent. Cancel the session instead.`, {
    method,
    missing: [{ feature: method, path: 'capabilities.cancel', value: capabilities?.cancel, reason }],
  });
}
