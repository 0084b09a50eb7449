// An agent that connects to its MCP server with the official client before it answers `session/new`, and lists its tools.
// `_bench/call` calls the tool as often as it says, and returns how long each call took.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveLines } from '../../support/line-agent.mjs';

const waiting = new Map();
let client;
let nextId = 0;

function request(method, params) {
  const id = `agent-${nextId++}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** MCP over the connection to the editor: each request is one `mcp/message`. */
class AcpTransport {
  #serverId;

  constructor(serverId) {
    this.#serverId = serverId;
  }

  async start() {}

  async close() {
    this.onclose?.();
  }

  async send({ id, method, params }) {
    if (id === undefined || method === undefined) return;
    const { result, error } = await request('mcp/message', {
      serverId: this.#serverId,
      requestId: String(id),
      method,
      ...(params && { params }),
    });
    this.onmessage?.({ jsonrpc: '2.0', id, ...(error ? { error } : result) });
  }
}

const valuesOf = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
const transports = {
  acp: ({ serverId }) => new AcpTransport(serverId),
  http: ({ url, headers }) =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: valuesOf(headers) } }),
  stdio: ({ command, args, env }) => new StdioClientTransport({ command, args, env: valuesOf(env) }),
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: { http: true, acp: true } },
  }),
  async 'session/new'({ mcpServers: [server] }) {
    const { type = 'stdio' } = server;
    await client?.close();
    // Over ACP there is only the version without a handshake. Most agents speak one with a handshake over the others.
    const mode = type === 'acp' ? { pin: '2026-07-28' } : 'legacy';
    client = new Client({ name: 'bench-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transports[type](server));
    const { tools } = await client.listTools();
    return { sessionId: `session-${nextId++}`, _meta: { tools: tools.length } };
  },
  async '_bench/call'({ times }) {
    const ms = [];
    for (let call = 0; call < times; call++) {
      const start = performance.now();
      const { content } = await client.callTool({ name: 'echo', arguments: { text: 'Hello.' } });
      ms.push(performance.now() - start);
      if (content[0].text !== 'Hello.') throw new Error(`The tool returned ${JSON.stringify(content)}.`);
    }
    return { ms };
  },
};

const send = serveLines(methods, ({ id, ...answer }) => {
  waiting.get(id)?.(answer);
  waiting.delete(id);
});
process.stdin.on('end', () => client?.close());
