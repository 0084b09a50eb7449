import * as v from 'valibot';
import type { Conversation } from '../../../src/model/conversation.ts';

/** The shape of a conversation, written independently of the types. Other keys are errors. */
const nullish = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));
const object = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const meta = v.nullable(object);
const finite = v.pipe(v.number(), v.finite());
const origin = v.picklist(['replay', 'live', 'local']);

/** A known type has its fields; any other type is kept unchanged. */
function variant(variants: Readonly<Record<string, v.GenericSchema>>) {
  return v.lazy((input) => {
    const type = (input as { type?: unknown } | null)?.type;
    return (typeof type === 'string' && Object.hasOwn(variants, type) && variants[type]) || anyVariant;
  });
}
const anyVariant = v.looseObject({ type: v.string() });

const block = variant({ text: v.looseObject({ text: v.string() }) });
const toolContent = variant({
  content: v.looseObject({ content: block }),
  diff: v.looseObject({
    changes: v.array(object),
    patch: nullish(v.looseObject({ text: v.string() })),
  }),
  terminal: v.looseObject({ terminalId: v.string() }),
  session: v.looseObject({ sessionId: v.string() }),
});

const message = v.strictObject({
  kind: v.literal('message'),
  key: v.string(),
  role: v.picklist(['user', 'agent', 'thought']),
  messageId: v.nullable(v.string()),
  content: v.array(block),
  origin,
  meta,
});
const toolCall = v.strictObject({
  kind: v.literal('toolCall'),
  key: v.string(),
  toolCallId: v.string(),
  title: v.nullable(v.string()),
  toolKind: v.string(),
  name: v.nullable(v.string()),
  status: v.string(),
  content: v.array(toolContent),
  locations: v.array(v.looseObject({ path: v.string(), line: nullish(finite) })),
  rawInput: v.optional(v.unknown()),
  rawOutput: v.optional(v.unknown()),
  progress: v.optional(
    v.strictObject({
      progress: finite,
      total: v.optional(finite),
      message: v.optional(v.string()),
    }),
  ),
  capabilities: v.nullable(object),
  permission: v.nullable(
    v.looseObject({
      title: nullish(v.string()),
      description: nullish(v.string()),
      options: v.array(v.looseObject({ optionId: v.string(), name: v.string(), kind: v.string() })),
    }),
  ),
  origin,
  meta,
});
const sessionMessage = v.strictObject({
  kind: v.literal('sessionMessage'),
  key: v.string(),
  messageId: v.string(),
  senderSessionId: v.nullable(v.string()),
  recipientSessionId: v.nullable(v.string()),
  senderMessageId: v.nullable(v.string()),
  recipientMessageId: v.nullable(v.string()),
  content: v.array(block),
  origin,
  meta,
});
const compaction = v.strictObject({
  kind: v.literal('compaction'),
  key: v.string(),
  compactionId: v.string(),
  status: v.string(),
  summary: v.array(block),
  error: v.nullable(v.string()),
  origin,
  meta,
});
const turnFailure = v.strictObject({
  kind: v.literal('turnFailure'),
  key: v.string(),
  cause: v.picklist(['failed', 'interrupted']),
  reason: v.string(),
  code: v.nullable(finite),
  origin,
});
const unknown = v.strictObject({
  kind: v.literal('unknown'),
  key: v.string(),
  tag: v.string(),
  raw: object,
  origin,
});
const terminal = v.strictObject({
  terminalId: v.string(),
  owner: v.picklist(['agent', 'client']),
  command: v.nullable(v.string()),
  argv: v.nullable(v.array(v.string())),
  cwd: v.nullable(v.string()),
  output: v.string(),
  droppedBytes: finite,
  incompleteBytes: v.optional(v.pipe(v.array(finite), v.minLength(1), v.maxLength(3))),
  exitStatus: v.nullable(v.looseObject({ exitCode: nullish(finite), signal: nullish(v.string()) })),
  size: v.nullable(v.looseObject({ cols: finite, rows: finite })),
  capabilities: v.nullable(object),
  meta,
});
const choice = v.looseObject({ value: v.string(), name: v.string() });
const setting = { configId: v.string(), name: v.string() };

const conversation = v.strictObject({
  sessionId: v.string(),
  entries: v.array(v.variant('kind', [message, sessionMessage, toolCall, compaction, turnFailure, unknown])),
  plans: v.array(
    v.union([
      v.strictObject({
        planId: v.string(),
        type: v.literal('items'),
        entries: v.array(v.looseObject({ content: v.string(), priority: v.string(), status: v.string() })),
        _meta: v.optional(object),
      }),
      v.strictObject({
        planId: v.string(),
        type: v.literal('markdown'),
        content: v.string(),
        path: v.optional(v.string()),
        _meta: v.optional(object),
      }),
      v.looseObject({
        planId: v.string(),
        type: v.pipe(v.string(), v.regex(/^(?!items$|markdown$)/)),
        _meta: v.optional(object),
      }),
    ]),
  ),
  terminals: v.custom<Conversation['terminals']>(
    (value) =>
      v.is(object, value) &&
      Object.entries(value).every(([id, part]) => v.is(terminal, part) && part.terminalId === id),
  ),
  activity: v.strictObject({
    state: v.string(),
    stopReason: v.nullable(v.string()),
    error: v.optional(object),
    _meta: v.optional(object),
    usage: v.optional(
      v.looseObject({
        totalTokens: nullish(finite),
        inputTokens: nullish(finite),
        outputTokens: nullish(finite),
        thoughtTokens: nullish(finite),
        cachedReadTokens: nullish(finite),
        cachedWriteTokens: nullish(finite),
      }),
    ),
    background: v.optional(v.array(v.looseObject({ type: v.string() }))),
  }),
  info: v.strictObject({ title: v.nullable(v.string()), updatedAt: v.nullable(v.string()) }),
  usage: v.nullable(
    v.strictObject({
      used: finite,
      size: finite,
      cost: v.nullable(v.looseObject({ amount: finite, currency: v.string() })),
      _meta: v.optional(object),
    }),
  ),
  commands: v.array(v.looseObject({ type: v.string(), name: v.string(), description: v.string() })),
  configOptions: v.array(
    variant({
      boolean: v.looseObject({ ...setting, currentValue: v.boolean() }),
      select: v.looseObject({
        ...setting,
        currentValue: v.string(),
        options: v.array(v.union([choice, v.looseObject({ name: v.string(), options: v.array(choice) })])),
      }),
    }),
  ),
  modes: v.nullable(
    v.looseObject({
      currentModeId: v.string(),
      availableModes: v.array(v.looseObject({ id: v.string(), name: v.string() })),
    }),
  ),
  models: nullish(
    v.looseObject({
      currentModelId: v.string(),
      availableModels: v.array(v.looseObject({ modelId: v.string(), name: v.string() })),
    }),
  ),
  suggestions: v.array(v.strictObject({ prompt: v.array(block), meta })),
  meta,
  pendingMessages: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          id: v.string(),
          kind: v.picklist(['queue', 'steer']),
          state: v.picklist(['held', 'sending', 'accepted']),
          content: v.array(block),
          messageId: v.nullable(v.string()),
        }),
      ),
      v.minLength(1),
    ),
  ),
  cursors: v.optional(
    v.array(
      v.strictObject({
        cursorId: v.string(),
        anchor: v.looseObject({ type: v.string() }),
        capabilities: v.nullable(v.looseObject({})),
        meta,
      }),
    ),
  ),
  subagents: v.optional(
    v.array(
      v.strictObject({
        sessionId: v.string(),
        title: v.nullable(v.string()),
        description: v.nullable(v.string()),
        cwd: v.nullable(v.string()),
        additionalDirectories: v.nullable(v.array(v.string())),
        capabilities: v.nullable(object),
        meta,
      }),
    ),
  ),
});

/** What is wrong with a conversation, with the path of each issue. Empty for a valid one. */
export function conversationIssues(value: unknown): readonly string[] {
  const { issues = [] } = v.safeParse(conversation, value);
  return issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
}
