import type { JsonObject } from '../base/json.ts';

/**
 * The keys under which agents name the tool call in the `_meta` of a call, as the agents suite has seen them. docs/agent-results.md
 * says which versions were run.
 */
const keys = [
  // Claude Code, in each of its adapters: the id of the `tool_use` block.
  'claudecode/toolUseId',
  // Codex, since the version of codex-acp 2.6: the `call_id` of the model. Its older versions name the session only.
  'callId',
] as const;

/** The tool call of the transcript that a call belongs to, if the agent names it. */
export function toolCallIdOf(meta: JsonObject | undefined): string | undefined {
  return keys.map((key) => meta?.[key]).find((value) => typeof value === 'string');
}
