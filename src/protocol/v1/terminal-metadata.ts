import { isJsonObject, type JsonObject } from '../../json.ts';
import type { ConversationUpdate, TerminalUpdate } from '../../model/update.ts';

/**
 * Agents that speak version 1 and run commands themselves show the output in the metadata of the tool call, as
 * version 2 does with updates of its own: `terminal_info`, then pieces of text, then `terminal_exit`. No page says
 * so; the big agents and editors agree on it.
 */
export function terminalsOf(update: ConversationUpdate): readonly ConversationUpdate[] | undefined {
  if (update.sessionUpdate !== 'tool_call_update' && update.sessionUpdate !== 'tool_call') return undefined;
  const meta = update._meta;
  if (!meta) return undefined;
  const found: ConversationUpdate[] = [];
  for (const [key, normalize] of readers) {
    const said = meta[key];
    const terminalId = isJsonObject(said) ? said['terminal_id'] : undefined;
    if (isJsonObject(said) && typeof terminalId === 'string') found.push(...normalize(terminalId, said));
  }
  return found.length > 0 ? found : undefined;
}

type Reader = (terminalId: string, said: JsonObject) => readonly ConversationUpdate[];

const output: Reader = (terminalId, { data }) =>
  typeof data === 'string'
    ? [{ sessionUpdate: 'terminal_output_chunk', terminalId, data: base64(data) }]
    : [];

const info: Reader = (terminalId, { cwd, command }) => {
  const update: TerminalUpdate = {
    sessionUpdate: 'terminal_update',
    terminalId,
    ...(typeof cwd === 'string' && { cwd }),
    ...(typeof command === 'string' && { command }),
  };
  return [update];
};

const exit: Reader = (terminalId, { exit_code: exitCode, signal }) => [
  {
    sessionUpdate: 'terminal_update',
    terminalId,
    exitStatus: {
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'string' ? signal : null,
    },
  },
];

/** In the order in which they apply. The text of both spellings is one more piece, and never the whole. */
const readers: readonly (readonly [key: string, read: Reader])[] = [
  ['terminal_info', info],
  ['terminal_output', output],
  ['terminal_output_delta', output],
  ['terminal_exit', exit],
];

/** The text's UTF-8 in base64. Not spread into one call: an agent's output may be longer than a call's arguments. */
function base64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
