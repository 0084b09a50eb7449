import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { onAbort } from '../../core/base/wait.ts';
import type { Server } from './params.ts';

const protocolVersion = '2025-06-18';

/**
 * Calls one tool of an MCP server that is reached over HTTP, in a session of its own. Resolves to what it returned, as
 * one text.
 *
 * @param params - Of `tools/call`.
 * @param signal - Aborted when the client cancels the turn.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#streamable-http
 */
export async function callMcpTool({ url, headers: own }: Server, params: JsonObject, signal: AbortSignal) {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
  };
  const post = (message: JsonObject) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const clientInfo = { name: 'demo-agent', version: '1.0.0' };
  const hello = { protocolVersion, capabilities: {}, clientInfo };
  const begun = await post({ id: 1, method: 'initialize', params: hello });
  await resultIn(begun, 1);
  const sessionId = begun.headers.get('mcp-session-id');
  if (sessionId !== null) headers['mcp-session-id'] = sessionId;
  headers['mcp-protocol-version'] = protocolVersion;
  await post({ method: 'notifications/initialized' });
  const stop = onAbort(signal, () => {
    const cancelled = { requestId: 2, reason: 'The turn was cancelled.' };
    post({ method: 'notifications/cancelled', params: cancelled }).catch(() => {});
  });
  try {
    const { content, isError } = await resultIn(await post({ id: 2, method: 'tools/call', params }), 2);
    const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
    const texts = blocks.map(({ type, text }) => text ?? `[${String(type)}]`);
    return { text: texts.join('\n'), isError: isError === true };
  } finally {
    stop();
    await fetch(url, { method: 'DELETE', headers }).catch(() => {});
  }
}

/** The result with this id in an answer, which is JSON or a stream of events. */
async function resultIn(answer: Response, id: number): Promise<JsonObject> {
  const text = await answer.text();
  // Each event of MCP has one line of data, and some have none in it.
  const data = text.match(/^data: ?.+$/gm)?.map((line) => line.slice('data:'.length));
  const messages = (data ?? [text]).map((body): unknown => JSON.parse(body)).filter(isJsonObject);
  const { result, error } = messages.find((message) => message['id'] === id) ?? {};
  if (isJsonObject(result)) return result;
  const reason = isJsonObject(error) ? error['message'] : `status ${answer.status} and no result`;
  throw new Error(`The MCP server answered with an error: ${String(reason)}.`);
}
