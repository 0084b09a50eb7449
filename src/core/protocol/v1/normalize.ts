import * as v from 'valibot';
import type { ValidationIssue } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ConfigOption, SlashCommand } from '../../model/session.ts';
import type { ToolCallContent as NeutralContent } from '../../model/tool-call.ts';
import { blocks, ContentBlock } from '../both/content.ts';
import { PermissionOption } from '../both/tool-calls.ts';
import { fits } from '../compiled-check.ts';
import {
  type ContentList,
  createNormalizer,
  identity,
  keepMalformed,
  type NormalizedPermission,
  readPermission,
} from '../normalize.ts';
import { normalizeSubagent } from '../state.ts';
import { suggestionsInMeta, withoutSuggestions } from '../suggestions-in-meta.ts';
import { at, renamed, upgradeByTag } from '../upgrade.ts';
import { meta, nullableString, struct } from '../vocabulary.ts';
import type { SessionConfigOption, SessionConfigSelectOptions } from './session-config-options.ts';
import type { AvailableCommand } from './slash-commands.ts';
import { terminalUpdates } from './terminal-metadata.ts';
import { type Diff, RequestPermissionRequest, ToolCallContent } from './tool-calls.ts';
import { updates } from './update.ts';

/** Replaces the spellings of an example on the page about modes, and of earlier drafts of plan operations. */
const upgradeUpdate = upgradeByTag({
  current_mode_update: renamed('modeId', 'currentModeId'),
  plan_update: at('plan', renamed('id', 'planId')),
  plan_removed: renamed('id', 'planId'),
});

const toolCallContent: ContentList = { key: 'content', item: ToolCallContent };

/** Reads the `update` of a `session/update` of version 1. Never throws. */
export const normalize = createNormalizer(
  updates,
  {
    tool_call: normalizeToolCall,
    tool_call_update: normalizeToolCall,
    plan: ({ sessionUpdate: _, entries, ...rest }) => ({
      ...rest,
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'plan', entries },
    }),
    available_commands_update: (update) => ({
      ...update,
      availableCommands: update.availableCommands.map(normalizeCommand),
    }),
    config_option_update: (update) => ({
      ...update,
      configOptions: update.configOptions.map(normalizeConfigOption),
    }),
    subagent_update: normalizeSubagent,
    cursor_update: (update) => ({ ...update, replacesMeta: true }),
    session_info_update: withoutSuggestions,
  },
  {
    tool_call: toolCallContent,
    tool_call_update: toolCallContent,
    session_message: { key: 'content', item: ContentBlock },
    compaction_update: { key: 'summary', item: ContentBlock },
  },
  upgradeUpdate,
  {
    tool_call: terminalUpdates,
    tool_call_update: terminalUpdates,
    session_info_update: suggestionsInMeta,
  },
);

type ToolCallLike = {
  readonly content?: readonly ToolCallContent[] | null;
  readonly [key: string]: unknown;
};

type NormalizedToolCall<T> = {
  [K in keyof T]: K extends 'content' ? readonly NeutralContent[] : Exclude<T[K], null>;
};

/** In version 1, `null` keeps the previous value, as an omitted key does. */
function normalizeToolCall<T extends ToolCallLike>(update: T): NormalizedToolCall<T> {
  const normalized = onlyValues(update);
  const { content } = update;
  // The functions implement the mapping that the type describes.
  return (
    !content || content.every(isNeutral)
      ? normalized
      : { ...normalized, content: content.map(normalizeContent) }
  ) as NormalizedToolCall<T>;
}

/** Whether the neutral model has a value for a key: `null` is none, and `capabilities` is a key of version 2. */
function isValue(key: string, value: unknown): boolean {
  return value !== null && key !== 'capabilities';
}

/** Nearly all tool calls have only values. Then they are not copied. */
function onlyValues(update: ToolCallLike): ToolCallLike {
  for (const key in update)
    if (!isValue(key, update[key]))
      return Object.fromEntries(Object.entries(update).filter(([name, value]) => isValue(name, value)));
  return update;
}

/** Whether an item is the same in the neutral model. The others are those that `normalizeContent` looks at. */
function isNeutral({ type }: ToolCallContent): boolean {
  return type !== 'diff' && !Object.hasOwn(blocks, type);
}

function normalizeContent(content: ToolCallContent): NeutralContent {
  if (content.type === 'diff') return normalizeDiff(content);
  // An example of the specification has a content block in place of an item that contains one.
  if (Object.hasOwn(blocks, content.type) && fits(ContentBlock, content)) {
    return { type: 'content', content: content as ContentBlock };
  }
  return content;
}

function normalizeDiff({
  path,
  oldText = null,
  newText,
  type,
  ...rest
}: { type: 'diff' } & Diff): NeutralContent {
  const operation = oldText === null ? 'add' : 'modify';
  return { ...rest, type, changes: [{ operation, path, oldText, newText }], patch: null };
}

/** The type comes first: to add a key to a copy takes ten times as long as to copy behind a key. */
function normalizeCommand({ input, type: _, ...command }: AvailableCommand & JsonObject): SlashCommand {
  return { type: 'command', ...command, ...(input && { input: { type: 'text', ...input } }) };
}

export function normalizeConfigOption({ id: configId, ...option }: SessionConfigOption): ConfigOption {
  if (option.type !== 'select') return { ...option, configId };
  return { ...option, configId, options: normalizeSelectOptions(option.options) };
}

function normalizeSelectOptions(options: SessionConfigSelectOptions) {
  return options.map((option) => {
    if (!('group' in option)) return option;
    const { group: groupId, ...rest } = option;
    return { ...rest, groupId };
    // The list has either options or groups, before and after.
  }) as Extract<ConfigOption, { type: 'select' }>['options'];
}

const keepMalformedContent = at('toolCall', (toolCall) => keepMalformed(toolCall, toolCallContent));

/** Reads the parameters of a `session/request_permission` of version 1. Never throws. */
export function normalizePermission(params: unknown): NormalizedPermission | readonly ValidationIssue[] {
  if (isJsonObject(params) && params['toolCall'] == null) return normalizeBarePermission(params);
  return readPermission(
    RequestPermissionRequest,
    params,
    keepMalformedContent,
    ({ sessionId, toolCall, options, _meta }) => ({
      sessionId,
      title: toolCall.title ?? null,
      description: null,
      options,
      toolCall: normalizeToolCall({ ...toolCall, sessionUpdate: 'tool_call_update' as const }),
      subject: { type: 'tool_call', toolCallId: toolCall.toolCallId },
      ...(_meta && { _meta }),
    }),
  );
}

/** A request without a tool call. It is not in the current schema. */
const BarePermissionRequest = struct({
  sessionId: v.string(),
  prompt: nullableString,
  title: nullableString,
  context: nullableString,
  description: nullableString,
  options: v.array(PermissionOption),
  _meta: meta,
});

/** Reads a request without a tool call, as some agents send it: `prompt` or `title`, and `context` or `description`. */
function normalizeBarePermission(params: JsonObject): NormalizedPermission | readonly ValidationIssue[] {
  return readPermission(BarePermissionRequest, params, identity, (request) => {
    const { sessionId, prompt, title = prompt, context, description = context, options, _meta } = request;
    return {
      sessionId,
      title: title || null,
      description: description || null,
      options,
      toolCall: null,
      subject: null,
      ...(_meta && { _meta }),
    };
  });
}
