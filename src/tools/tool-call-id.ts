import type { JsonObject } from '../json.ts';

/** The keys under which agents name the tool call in the `_meta` of a call. docs/tools.md lists the agents. */
const keys = ['claudecode/toolUseId'] as const;

/** The tool call of the transcript that a call belongs to, if the agent names it. */
export function toolCallIdOf(meta: JsonObject | undefined): string | undefined {
  for (const key of keys) {
    const value = meta?.[key];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
