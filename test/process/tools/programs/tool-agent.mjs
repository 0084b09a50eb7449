// An agent of version 1 that calls the tool that a prompt names, over the way that its argument names, and says the
// result.
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [way] = process.argv.slice(2);
/** What each session got as its first server. */
const servers = new Map();
const answers = new Map();
let count = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** MCP over the connection: each request is one `mcp/message`. */
class AcpTransport {
  constructor(serverId) {
    this.serverId = serverId;
  }
  async start() {}
  async close() {
    this.onclose?.();
  }
  async send({ id, method, params }) {
    if (id === undefined) return;
    const requestId = ++count;
    send({
      id: requestId,
      method: 'mcp/message',
      params: { serverId: this.serverId, requestId: String(id), method, params },
    });
    const { result, error } = await new Promise((resolve) => answers.set(requestId, resolve));
    this.onmessage?.({ jsonrpc: '2.0', id, ...(error ? { error } : result) });
  }
}

const pairs = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
const transports = {
  acp: ({ serverId }) => new AcpTransport(serverId),
  http: ({ url, headers }) =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: pairs(headers) } }),
  stdio: ({ command, args, env }) => new StdioClientTransport({ command, args, env: pairs(env) }),
};

async function callTool(sessionId, name) {
  const client = new Client(
    { name: 'tool-agent', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transports[way](servers.get(sessionId)));
  const { content } = await client.callTool({ name });
  await client.close();
  return content[0].text;
}

const open = (sessionId, { mcpServers }) => {
  servers.set(sessionId, mcpServers[0]);
  return { sessionId };
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {
      mcpCapabilities: { acp: way === 'acp', http: way === 'http' },
      sessionCapabilities: { resume: {} },
    },
  }),
  'session/new': (params) => open(`s${++count}`, params),
  'session/resume': (params) => open(params.sessionId, params),
  'session/prompt': async ({ sessionId, prompt }) => {
    const text = await callTool(sessionId, prompt[0].text);
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    send({ method: 'session/update', params: { sessionId, update } });
    return { stopReason: 'end_turn' };
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return answers.get(id)?.({ result, error });
  if (id === undefined) return;
  try {
    const known = methods[method];
    if (known) send({ id, result: await known(params) });
    else send({ id, error: { code: -32601, message: method } });
  } catch (failure) {
    send({ id, error: { code: -32603, message: String(failure) } });
  }
});
