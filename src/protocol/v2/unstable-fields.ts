import * as v from 'valibot';
import { count, meta, openEnum, patch, some, struct } from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';

/**
 * What is not stable in messages that are. It may change with any release.
 *
 * @experimental
 */

export const SystemPromptMode = openEnum<'append' | 'override'>();
export type SystemPromptMode = v.InferOutput<typeof SystemPromptMode>;

export const SystemPrompt = struct({
  mode: SystemPromptMode,
  content: some(SentContentBlock),
  _meta: meta,
});
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;

export const SessionArchiveFilter = openEnum<'exclude' | 'include' | 'only'>();
export type SessionArchiveFilter = v.InferOutput<typeof SessionArchiveFilter>;

/** An MCP server that the client itself serves, over the connection to the agent. */
export const McpServerAcp = struct({ name: v.string(), serverId: v.string(), _meta: meta });
export type McpServerAcp = v.InferOutput<typeof McpServerAcp>;

const tokens = patch(count);

export const Usage = struct({
  totalTokens: count,
  inputTokens: count,
  outputTokens: count,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: meta,
});
export type Usage = v.InferOutput<typeof Usage>;
