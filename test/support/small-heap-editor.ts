import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildPackage } from './build.ts';
import { spawn } from './spawn.mjs';

const program = fileURLToPath(new URL('small-heap-editor.mjs', import.meta.url));

const sessionId = 's1';
const pieceBytes = 1024 * 1024;

/** Where a line may have any JSON value: the line up to the value, and the rest. */
export const places = {
  rawInput: update('"sessionUpdate":"tool_call","toolCallId":"t","title":"x","rawInput":'),
  rawOutput: update('"sessionUpdate":"tool_call_update","toolCallId":"t","rawOutput":'),
  _meta: update('"sessionUpdate":"tool_call","toolCallId":"t","title":"x","_meta":{"a":', '}'),
  'an unknown update': update('"sessionUpdate":"_unknown_kind","value":'),
  'an unknown notification': ['{"jsonrpc":"2.0","method":"_unknown","params":{"a":', '}}'],
  'error.data': ['{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"no","data":', '}}'],
} as const satisfies Record<string, readonly [start: string, end: string]>;

export type Place = keyof typeof places;

function update(start: string, end = ''): readonly [start: string, end: string] {
  const params = `"params":{"sessionId":"${sessionId}","update":{${start}`;
  return [`{"jsonrpc":"2.0","method":"session/update",${params}`, `${end}}}}`];
}

/** A value of many parts, written as JSON. */
export interface LongValue {
  readonly start: string;
  /** The parts between commas: all the same, or one for each index. */
  readonly part: string | ((index: number) => string);
  readonly end: string;
}

/** What an editor measured about a line. */
export interface Measured {
  /** CPU time of all its threads from before the line, in milliseconds. */
  readonly cpuMs: number;
  /** The most memory that it had resident, since its start. */
  readonly peakMiB: number;
  /** The rules of its diagnostics, and the codes of its errors. */
  readonly rules: readonly string[];
  readonly entries: number;
}

/**
 * Sends one line of `bytes` bytes to an editor in a process with a small heap: by default that of Node on a machine with
 * 4 GiB of memory. Resolves to what the editor measured when it has read the line, or to `undefined` if its process ended.
 */
export async function sendLongLine(
  place: Place,
  value: LongValue,
  bytes: number,
  { heapMiB = 2048 }: { readonly heapMiB?: number } = {},
): Promise<Measured | undefined> {
  const editor = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, program, await buildPackage()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // Writing to a process that has ended fails. Its end is what is reported.
  editor.stdin.on('error', () => {});
  const ended = once(editor, 'exit').then(() => undefined);
  const send = (message: object) => editor.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities: {} },
    'session/new': { sessionId },
  };
  const measured = new Promise<Measured>((resolve) => {
    createInterface(editor.stdout).on('line', async (line) => {
      const { id, method, result } = JSON.parse(line);
      if (method === undefined) resolve(result);
      else if (method in answers) send({ id, result: answers[method] });
      else if (method === '_fail') {
        const [start, end] = places[place];
        for (const piece of pieces(start.replace('ID', JSON.stringify(id)), value, end, bytes)) {
          if (!editor.stdin.write(piece)) await Promise.race([once(editor.stdin, 'drain'), ended]);
        }
        send({ id: 'measure', method: '_measure', params: {} });
      }
    });
  });
  try {
    return await Promise.race([measured, ended]);
  } finally {
    editor.kill('SIGKILL');
  }
}

function* pieces(start: string, value: LongValue, end: string, bytes: number): Iterable<string> {
  const { part } = value;
  const rest = `${value.end}${end}\n`;
  const most = bytes - rest.length;
  let length = start.length + value.start.length;
  yield start + value.start;
  if (typeof part === 'string') {
    const count = Math.floor((most - length) / (part.length + 1));
    const perPiece = Math.ceil(pieceBytes / (part.length + 1));
    const piece = `${part},`.repeat(perPiece);
    for (let left = count - 1; left > 0; left -= perPiece) {
      yield left < perPiece ? `${part},`.repeat(left) : piece;
    }
    yield part + rest;
    return;
  }
  let piece = part(0);
  for (let index = 1; length + piece.length + pieceBytes < most; index++) {
    piece += `,${part(index)}`;
    if (piece.length < pieceBytes) continue;
    length += piece.length;
    yield piece;
    piece = `,${part(++index)}`;
  }
  yield piece + rest;
}
