import { isJsonObject } from '../json.ts';
import type { ConversationEntry } from '../model/conversation.ts';

/** Whether a value has the type of a field. */
export type Check = (value: unknown) => boolean;

export const isString: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => Number.isFinite(value);
export const isBoolean: Check = (value) => typeof value === 'boolean';

/** Any value, as the arguments and the result of a tool. */
export const isAny: Check = () => true;

/** One of these strings. */
export function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value);
}

/** A field that can be absent or `null`. */
export function optional(check: Check): Check {
  return (value) => value == null || check(value);
}

/** A field that can be `null`. */
export function nullable(check: Check): Check {
  return (value) => value === null || check(value);
}

/** An array. Unlike `Array.prototype.every`, it also checks holes. */
export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

/** An object with these fields. Other fields are allowed. */
export function objectOf(fields: Readonly<Record<string, Check>>): Check {
  const names = Object.keys(fields);
  const checks = Object.values(fields);
  return (value) => {
    if (!isJsonObject(value)) return false;
    // By index, because this runs for each update.
    for (let index = 0; index < checks.length; index++) {
      if (checks[index]?.(value[names[index] as string]) === false) return false;
    }
    return true;
  };
}

/** An object with a `type`, and with the fields of that type if it is known. */
function variantOf(variants: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(variants));
  return (value) => {
    if (!isJsonObject(value)) return false;
    const { type } = value;
    return typeof type === 'string' && (checks.get(type)?.(value) ?? true);
  };
}

export const isMeta = optional(isJsonObject);

/** A content block. Renderers accept any value in the fields of other types. */
export const isBlock: Check = (value) =>
  // Written out, because this runs for each chunk.
  isJsonObject(value) &&
  typeof value['type'] === 'string' &&
  (value['type'] !== 'text' || typeof value['text'] === 'string');

export const isToolCallContent = variantOf({
  content: objectOf({ content: isBlock }),
  diff: objectOf({ changes: listOf(isJsonObject), patch: optional(objectOf({ text: isString })) }),
  terminal: objectOf({ terminalId: isString }),
  session: objectOf({ sessionId: isString }),
});

export const isLocation = objectOf({ path: isString, line: optional(isNumber) });

export const isPermission = objectOf({
  title: optional(isString),
  description: optional(isString),
  options: listOf(objectOf({ optionId: isString, name: isString, kind: isString })),
});

export const isPlanEntry = objectOf({ content: isString, priority: isString, status: isString });

const isIdentifiedPlan = objectOf({ planId: isString });
const isPlanOfType = variantOf({ items: objectOf({ entries: listOf(isPlanEntry) }) });

export const isPlan: Check = (value) => isIdentifiedPlan(value) && isPlanOfType(value);

export const isCommand = objectOf({ name: isString, description: isString });

export const isModes = objectOf({
  currentModeId: isString,
  availableModes: listOf(objectOf({ id: isString, name: isString })),
});

export const isModels = objectOf({
  currentModelId: isString,
  availableModels: listOf(objectOf({ modelId: isString, name: isString })),
});

const isChoice = objectOf({ value: isString, name: isString });
const isChoiceGroup = objectOf({ name: isString, options: listOf(isChoice) });
const isSetting = objectOf({ configId: isString, name: isString });
const isSettingOfType = variantOf({
  boolean: objectOf({ currentValue: isBoolean }),
  select: objectOf({
    currentValue: isString,
    options: listOf((choice) => isChoice(choice) || isChoiceGroup(choice)),
  }),
});

export const isConfigOption: Check = (value) => isSetting(value) && isSettingOfType(value);

export const isExitStatus = objectOf({ exitCode: optional(isNumber), signal: optional(isString) });

export const isTerminalSize = objectOf({ cols: isNumber, rows: isNumber });

const isObjectOrNull = nullable(isJsonObject);

/** A terminal of a conversation. */
export const isTerminal = objectOf({
  terminalId: isString,
  owner: oneOf('agent', 'client'),
  command: nullable(isString),
  argv: nullable(listOf(isString)),
  cwd: nullable(isString),
  bytes: isString,
  droppedBytes: isNumber,
  exitStatus: nullable(isExitStatus),
  size: nullable(isTerminalSize),
  capabilities: isObjectOrNull,
  meta: isObjectOrNull,
});

export const isTerminalOutput = objectOf({ data: isString });

export const isCost = objectOf({ amount: isNumber, currency: isString });

export const isBackgroundWork = objectOf({ type: isString });

const isTokenCount = optional(isNumber);

export const isTurnUsage = objectOf({
  totalTokens: isTokenCount,
  inputTokens: isTokenCount,
  outputTokens: isTokenCount,
  thoughtTokens: isTokenCount,
  cachedReadTokens: isTokenCount,
  cachedWriteTokens: isTokenCount,
});

/** A message that waits. */
export const isPendingMessage = objectOf({
  id: isString,
  kind: oneOf('queue', 'steer'),
  state: oneOf('held', 'sending', 'accepted'),
  content: listOf(isBlock),
  messageId: nullable(isString),
});

export const isFailureCause = oneOf('failed', 'interrupted');

const entryFields = { key: isString, origin: oneOf('replay', 'live', 'local') };

const entryChecks: { readonly [K in ConversationEntry['kind']]: Check } = {
  message: objectOf({
    ...entryFields,
    role: oneOf('user', 'agent', 'thought'),
    messageId: nullable(isString),
    content: listOf(isBlock),
    meta: isObjectOrNull,
  }),
  sessionMessage: objectOf({
    ...entryFields,
    messageId: isString,
    senderSessionId: nullable(isString),
    recipientSessionId: nullable(isString),
    senderMessageId: nullable(isString),
    recipientMessageId: nullable(isString),
    content: listOf(isBlock),
    meta: isObjectOrNull,
  }),
  toolCall: objectOf({
    ...entryFields,
    toolCallId: isString,
    title: nullable(isString),
    toolKind: isString,
    name: nullable(isString),
    status: isString,
    content: listOf(isToolCallContent),
    locations: listOf(isLocation),
    capabilities: isObjectOrNull,
    permission: nullable(isPermission),
    meta: isObjectOrNull,
  }),
  compaction: objectOf({
    ...entryFields,
    compactionId: isString,
    status: isString,
    summary: listOf(isBlock),
    error: nullable(isString),
    meta: isObjectOrNull,
  }),
  turnFailure: objectOf({
    ...entryFields,
    cause: isFailureCause,
    reason: isString,
    code: nullable(isNumber),
  }),
  unknown: objectOf({ ...entryFields, tag: isString, raw: isJsonObject }),
};

/** An entry of a conversation. */
export const isEntry: Check = (value) => {
  const kind = isJsonObject(value) ? value['kind'] : undefined;
  return (
    typeof kind === 'string' &&
    Object.hasOwn(entryChecks, kind) &&
    // The kind was just found in the table.
    entryChecks[kind as ConversationEntry['kind']](value)
  );
};
