import type { Annotations, BlobResource, ContentBlock, TextResource } from '../model/content.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  PendingMessage,
  PromptSuggestion,
  SessionActivity,
  SessionUsage,
  SubagentInfo,
} from '../model/conversation.ts';
import type { PendingPermission, PermissionOption } from '../model/permission.ts';
import type { Plan, PlanEntry } from '../model/plan.ts';
import type {
  BackgroundWork,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  SessionMode,
  SessionModel,
  SessionModels,
  SessionModes,
  SlashCommand,
  TerminalExitStatus,
  TurnUsage,
  UsageCost,
} from '../model/session.ts';
import type { CancelCapability, FileChange, ToolCallContent, ToolCallLocation } from '../model/tool-call.ts';
import {
  byId,
  type Check,
  either,
  flag,
  json,
  jsonObject,
  list,
  nullish,
  number,
  object,
  oneOf,
  openText,
  openVariant,
  optional,
  orNull,
  text,
  variant,
} from './check.ts';

const textOrNull = orNull(text);
const nullishText = nullish(text);
const nullishNumber = nullish(number);
const meta = orNull(jsonObject);
const _meta = nullish(jsonObject);
const optionalMeta = optional(jsonObject);
const origin = oneOf('replay', 'live', 'local');

const annotations = nullish(
  object<Annotations>({
    audience: nullish(list(text)),
    lastModified: nullishText,
    priority: nullishNumber,
    _meta,
  }),
);
const resource: Check<TextResource | BlobResource> = either(
  object<TextResource>({ uri: text, text, mimeType: nullishText, _meta }),
  object<BlobResource>({ uri: text, blob: text, mimeType: nullishText, _meta }),
);

const block = openVariant<ContentBlock>({
  text: { text, annotations, _meta },
  image: { data: text, mimeType: text, uri: nullishText, annotations, _meta },
  audio: { data: text, mimeType: text, annotations, _meta },
  resource_link: {
    name: text,
    uri: text,
    title: nullishText,
    description: nullishText,
    mimeType: nullishText,
    size: nullishNumber,
    annotations,
    _meta,
  },
  resource: { resource, annotations, _meta },
});
const blocks = list(block);

const capabilities = orNull(object<CancelCapability>({ cancel: _meta, _meta }));

const toolContent = openVariant<ToolCallContent>({
  content: { content: block, _meta },
  diff: {
    changes: list(
      object<FileChange>({
        operation: openText(),
        path: text,
        oldPath: optional(text),
        oldText: nullishText,
        newText: optional(text),
        fileType: nullishText,
        mimeType: nullishText,
        _meta,
      }),
    ),
    patch: orNull(object<{ readonly format: string; readonly text: string }>({ format: text, text })),
    _meta,
  },
  terminal: { terminalId: text, _meta },
  session: { sessionId: text, _meta },
});

const permission = orNull(
  object<PendingPermission>({
    title: textOrNull,
    description: textOrNull,
    options: list(object<PermissionOption>({ optionId: text, name: text, kind: openText(), _meta })),
  }),
);

const ofEntry = { key: text, origin };

const entry = variant<ConversationEntry, 'kind'>('kind', {
  message: {
    ...ofEntry,
    role: oneOf('user', 'agent', 'thought'),
    messageId: textOrNull,
    content: blocks,
    meta,
  },
  sessionMessage: {
    ...ofEntry,
    messageId: text,
    senderSessionId: textOrNull,
    recipientSessionId: textOrNull,
    senderMessageId: textOrNull,
    recipientMessageId: textOrNull,
    content: blocks,
    meta,
  },
  toolCall: {
    ...ofEntry,
    toolCallId: text,
    title: textOrNull,
    toolKind: openText(),
    name: textOrNull,
    status: openText(),
    content: list(toolContent),
    locations: list(object<ToolCallLocation>({ path: text, line: nullishNumber, _meta })),
    rawInput: optional(json),
    rawOutput: optional(json),
    capabilities,
    permission,
    meta,
  },
  compaction: {
    ...ofEntry,
    compactionId: text,
    status: openText(),
    summary: blocks,
    error: textOrNull,
    meta,
  },
  turnFailure: { ...ofEntry, cause: oneOf('failed', 'interrupted'), reason: text, code: orNull(number) },
  unknown: { ...ofEntry, tag: text, raw: jsonObject },
});

const terminal = object<ConversationTerminal>({
  terminalId: text,
  owner: oneOf('agent', 'client'),
  command: textOrNull,
  argv: orNull(list(text)),
  cwd: textOrNull,
  output: text,
  droppedBytes: number,
  incompleteBytes: optional(list(number)),
  exitStatus: orNull(
    object<TerminalExitStatus>({ exitCode: nullishNumber as never, signal: nullishText as never, _meta }),
  ),
  size: orNull(object<{ readonly cols: number; readonly rows: number }>({ cols: number, rows: number })),
  capabilities,
  meta,
});

const plan = object<Plan>({
  planId: text,
  entries: list(object<PlanEntry>({ content: text, priority: openText(), status: openText(), _meta })),
  other: optionalMeta,
  _meta: optionalMeta,
});

const activity = object<SessionActivity>({
  state: openText(),
  stopReason: textOrNull,
  error: optionalMeta,
  usage: optional(
    object<TurnUsage>({
      totalTokens: orNull(number),
      inputTokens: orNull(number),
      outputTokens: orNull(number),
      thoughtTokens: optional(number),
      cachedReadTokens: optional(number),
      cachedWriteTokens: optional(number),
      _meta: optionalMeta,
    }),
  ),
  background: optional(list(openVariant<BackgroundWork>({}))),
  _meta: optionalMeta,
});

const usage = object<SessionUsage>({
  used: number,
  size: number,
  cost: orNull(object<UsageCost>({ amount: number, currency: text })),
  _meta: optionalMeta,
});

const command = object<SlashCommand>({
  name: text,
  description: text,
  input: nullish(jsonObject) as never,
  _meta,
});

const ofOption = { configId: text, name: text, description: nullishText, category: nullishText, _meta };
const choices = list(object<ConfigChoice>({ value: text, name: text, description: nullishText, _meta }));
const groups = list(object<ConfigChoiceGroup>({ groupId: text, name: text, options: choices, _meta }));

const configOption = openVariant<ConfigOption>(
  {
    boolean: { ...ofOption, currentValue: flag },
    select: { ...ofOption, currentValue: text, options: either(choices, groups) },
  },
  ofOption,
);

const modes = object<SessionModes>({
  currentModeId: text,
  availableModes: list(object<SessionMode>({ id: text, name: text, description: nullishText, _meta })),
});

const models = object<SessionModels>({
  currentModelId: text,
  availableModels: list(object<SessionModel>({ modelId: text, name: text, description: nullishText, _meta })),
});

const subagent = object<SubagentInfo>({
  sessionId: text,
  title: textOrNull,
  description: textOrNull,
  cwd: textOrNull,
  additionalDirectories: orNull(list(text)),
  capabilities,
  meta,
});

const pendingMessage = object<PendingMessage>({
  id: text,
  kind: oneOf('queue', 'steer'),
  state: oneOf('held', 'sending', 'accepted'),
  content: blocks,
  messageId: textOrNull,
});

/** What is wrong with a value that should be a conversation. */
export const conversationFault: Check<Conversation> = object<Conversation>({
  sessionId: text,
  entries: list(entry),
  plans: list(plan),
  terminals: byId(terminal),
  activity,
  info: object<Conversation['info']>({ title: textOrNull, updatedAt: textOrNull }),
  usage: orNull(usage),
  commands: list(command),
  configOptions: list(configOption),
  modes: orNull(modes),
  models: nullish(models),
  suggestions: list(object<PromptSuggestion>({ prompt: blocks, meta })),
  meta,
  subagents: optional(list(subagent)),
  pendingMessages: optional(list(pendingMessage)),
});
