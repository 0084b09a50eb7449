import { isJsonObject } from '../base/json.ts';
import { findTerminal } from '../conversation/select.ts';
import type { Conversation, ToolCallEntry } from '../model/conversation.ts';
import { isToolCallFinished } from '../model/tool-call.ts';

/** Limits of the comparison, so that it takes little time for any input. */
const maxTextLength = 100_000;
const maxValues = 200;

/**
 * Whether the content of a tool call shows its output.
 *
 * Some agents send content only in a permission request, where it is the question, and the output only as
 * `rawOutput`. Therefore finished tool calls with text content are compared: if no string of the raw output is in
 * the text, the content is not the output. Strings of the raw input, such as the command, do not count.
 *
 * A terminal that the conversation does not contain shows nothing: its output is not known.
 */
export function showsOutput(
  { status, content, rawInput, rawOutput }: ToolCallEntry,
  conversation: Conversation,
): boolean {
  const shown = content.filter(
    (item) => item?.type !== 'terminal' || findTerminal(conversation, item.terminalId),
  );
  if (shown.length === 0) return false;
  const text = textOf(shown);
  if (text === undefined || !isToolCallFinished(status)) return true;
  const input = new Set(stringsIn(rawInput));
  const output = stringsIn(rawOutput).filter((value) => !input.has(value));
  return output.length === 0 || output.some((value) => text.includes(value));
}

/** The start of the text of content that is text only. */
function textOf(content: ToolCallEntry['content']): string | undefined {
  let text = '';
  for (const item of content) {
    if (item?.type !== 'content' || item.content?.type !== 'text') return undefined;
    if (text.length < maxTextLength) text += `${item.content.text}\n`.slice(0, maxTextLength);
  }
  return text;
}

/** The first strings in a JSON value, without white space around them. */
function stringsIn(value: unknown): string[] {
  const strings: string[] = [];
  const pending: unknown[] = [value];
  for (let count = 0; count < maxValues && pending.length > 0; count++) {
    const next = pending.pop();
    if (typeof next === 'string' && next.trim() !== '') strings.push(next.slice(0, maxTextLength).trim());
    if (Array.isArray(next)) pending.push(...next.slice(0, maxValues));
    else if (isJsonObject(next)) pending.push(...Object.values(next).slice(0, maxValues));
  }
  return strings;
}
