import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { onAbort } from '../../base/wait.ts';
import type { Server } from './params.ts';
import type { ToolUse } from './session.ts';

const protocolVersion = '2025-06-18';

/**
 * Calls one tool of an MCP server that is reached over HTTP, in a session of its own. Resolves to what it returned, as
 * one text.
 *
 * @param toolCallId - The tool call of the transcript, which the server gets in the `_meta` of the call.
 * @param signal - Aborted when the client cancels the turn.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http
 */
export async function callMcpTool(
  { url, headers: ownHeaders }: Server,
  { name, input }: ToolUse,
  toolCallId: string,
  signal: AbortSignal,
) {
  const base: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...Object.fromEntries(ownHeaders.map((header) => [header.name, header.value])),
  };
  const post = (headers: Record<string, string>, message: JsonObject) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const clientInfo = { name: 'demo-agent', version: '1.0.0' };
  const own = { protocolVersion, capabilities: {}, clientInfo };
  const begun = await post(base, { id: 1, method: 'initialize', params: own });
  await resultIn(begun, 1);
  const sessionId = begun.headers.get('mcp-session-id');
  const headers = {
    ...base,
    'mcp-protocol-version': protocolVersion,
    ...(sessionId !== null && { 'mcp-session-id': sessionId }),
  };
  await post(headers, { method: 'notifications/initialized' });
  const cancel = () => {
    const params = { requestId: 2, reason: 'The turn was cancelled.' };
    post(headers, { method: 'notifications/cancelled', params }).catch(() => {});
  };
  const stop = onAbort(signal, cancel);
  try {
    const params = { name, arguments: input, _meta: { callId: toolCallId } };
    const answered = await post(headers, { id: 2, method: 'tools/call', params });
    const { content, isError } = await resultIn(answered, 2);
    return { text: textsIn(content), isError: isError === true };
  } finally {
    stop();
    await fetch(url, { method: 'DELETE', headers }).catch(() => {});
  }
}

/** The result with this id in an answer, which is JSON or a stream of events. */
async function resultIn(answer: Response, id: number): Promise<JsonObject> {
  const text = await answer.text();
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  // Each event of MCP has one line of data, and some have none in it.
  const bodies = isStream ? text.split('\n').flatMap((line) => /^data: ?(.+)/.exec(line)?.[1] ?? []) : [text];
  for (const body of bodies) {
    const message: unknown = JSON.parse(body);
    if (!isJsonObject(message) || message['id'] !== id) continue;
    if (isJsonObject(message['result'])) return message['result'];
    const error = isJsonObject(message['error']) ? message['error']['message'] : undefined;
    throw new Error(`The MCP server answered with an error: ${String(error)}`);
  }
  throw new Error(`The MCP server answered with status ${answer.status} and without a result.`);
}

function textsIn(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) =>
    isJsonObject(block) ? (block['text'] ?? `[${String(block['type'])}]`) : '',
  );
  return texts.join('\n');
}
