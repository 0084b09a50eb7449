import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AnyUpdate } from '../../model/client-update.ts';

/**
 * The terminal updates in the metadata of a tool call. Agents of version 1 that run commands themselves send the output
 * this way: `terminal_info`, then chunks of text, then `terminal_exit`. This is a convention between common agents and
 * editors, and not part of the specification. Version 2 has separate updates for it.
 *
 * Some agents send no chunks for a command that ends at once: its output is only in the raw output of the update with
 * `terminal_exit`.
 */
export function terminalUpdates(update: JsonObject): readonly AnyUpdate[] | undefined {
  const { _meta: meta } = update;
  if (!isJsonObject(meta)) return undefined;
  const found: AnyUpdate[] = [];
  for (const [key, normalize] of readers) {
    const value = meta[key];
    const terminalId = isJsonObject(value) ? value['terminal_id'] : undefined;
    if (isJsonObject(value) && typeof terminalId === 'string') {
      found.push(...normalize(terminalId, value, update));
    }
  }
  return found.length > 0 ? found : undefined;
}

type Reader = (terminalId: string, value: JsonObject, update: JsonObject) => readonly AnyUpdate[];

const output: Reader = (terminalId, { data }) =>
  typeof data === 'string'
    ? [{ sessionUpdate: 'terminal_output_chunk', terminalId, data: base64(data) }]
    : [];

const info: Reader = (terminalId, { cwd, command }) => [
  {
    sessionUpdate: 'terminal_update',
    terminalId,
    ...(typeof cwd === 'string' && { cwd }),
    ...(typeof command === 'string' && { command }),
  },
];

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

/** The fields of a raw output in which agents report all output of a command, the most complete first. */
const outputFields = ['aggregated_output', 'formatted_output'];

const reported: Reader = (terminalId, _exit, { rawOutput }) => {
  if (!isJsonObject(rawOutput)) return [];
  const text = outputFields.map((field) => rawOutput[field]).find((value) => typeof value === 'string');
  return text ? [{ sessionUpdate: 'terminal_output_reported', terminalId, data: base64(text) }] : [];
};

/** In the order in which they apply. Both output keys append text, and neither replaces it. */
const readers: readonly (readonly [key: string, read: Reader])[] = [
  ['terminal_info', info],
  ['terminal_output', output],
  ['terminal_output_delta', output],
  ['terminal_exit', reported],
  ['terminal_exit', exit],
];

/** The UTF-8 bytes of the text as base64. The loop avoids the limit on the number of arguments of a call. */
function base64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
