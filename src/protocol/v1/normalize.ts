import * as v from 'valibot';
import type { Issue } from '../../errors.ts';
import { issuesIn } from '../../issue.ts';
import type { JsonObject } from '../../json.ts';
import type { Command, ConfigOption } from '../../model/session.ts';
import type { ToolCallContent as NeutralContent } from '../../model/tool-call.ts';
import type { PlanUpdate } from '../../model/update.ts';
import type { NormalizedPermission, NormalizedUpdate } from '../dialect.ts';
import { createNormalizer } from '../normalize.ts';
import { fits } from '../vocabulary.ts';
import { blocks, ContentBlock } from './content.ts';
import type { SessionConfigOption, SessionConfigSelectOptions } from './session-config-options.ts';
import type { AvailableCommand } from './slash-commands.ts';
import { terminalsOf } from './terminal-metadata.ts';
import { type Diff, RequestPermissionRequest, type ToolCallContent } from './tool-calls.ts';
import { updates } from './update.ts';

/** Reads one `session/update` of version 1. Never throws. */
export function normalize(update: unknown): NormalizedUpdate {
  const normalized = read(update);
  const more = normalized.update && terminalsOf(normalized.update);
  return more ? { ...normalized, more } : normalized;
}

const read = createNormalizer(
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
    // In the neutral model the type of a plan other than a list of items is the agent's own.
    plan_update: (update) => update as PlanUpdate,
  },
  upgradeDrafted,
);

/** The page on modes has an example with `modeId` for `currentModeId`. */
function upgradeDrafted(update: JsonObject): JsonObject {
  const { sessionUpdate, modeId, currentModeId = modeId } = update;
  return sessionUpdate === 'current_mode_update' && currentModeId !== undefined
    ? { ...update, currentModeId }
    : update;
}

type ToolCallLike = {
  readonly content?: readonly ToolCallContent[] | null;
  readonly [key: string]: unknown;
};

type NormalizedToolCall<T> = {
  [K in keyof T]: K extends 'content' ? readonly NeutralContent[] : Exclude<T[K], null>;
};

/** In version 1 `null` keeps what is there, as leaving the key out does. */
function normalizeToolCall<T extends ToolCallLike>(update: T): NormalizedToolCall<T> {
  const normalized: Record<string, unknown> = {};
  for (const key in update) {
    if (update[key] !== null && key !== 'capabilities') normalized[key] = update[key];
  }
  if (update.content) normalized['content'] = update.content.map(normalizeContent);
  // Built key by key from `update`, by the rule that the type states.
  return normalized as NormalizedToolCall<T>;
}

function normalizeContent(content: ToolCallContent): NeutralContent {
  if (content.type === 'diff') return normalizeDiff(content);
  // An example in the pages has a block where an item that holds one is due.
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

function normalizeCommand({ input, ...command }: AvailableCommand): Command {
  return input ? { ...command, input: { type: 'text', ...input } } : command;
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
    // All options or all groups before, and so after.
  }) as Extract<ConfigOption, { type: 'select' }>['options'];
}

/** Reads the parameters of a `session/request_permission` of version 1. Never throws. */
export function normalizePermission(params: unknown): NormalizedPermission | readonly Issue[] {
  const result = v.safeParse(RequestPermissionRequest, params);
  if (!result.success) return issuesIn(result.issues, 'params');
  const { sessionId, toolCall, options } = result.output;
  return {
    sessionId,
    title: toolCall.title ?? null,
    description: null,
    options,
    toolCall: normalizeToolCall({ ...toolCall, sessionUpdate: 'tool_call_update' as const }),
    subject: { type: 'tool_call', toolCallId: toolCall.toolCallId },
  };
}
