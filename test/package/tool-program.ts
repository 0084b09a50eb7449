/** The beginning of a program: `open` gives an agent servers, and connects the official client of MCP to the first one. */
export const openServers = `
  import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
  import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
  import { connect } from 'acp-client-sdk';
  import { scriptedAgent } from 'acp-client-sdk/testing';

  const valuesOf = (list) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  const transportOf = ({ url, headers, command, args, env }) =>
    url
      ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: valuesOf(headers) } })
      : new StdioClientTransport({ command, args, env: valuesOf(env) });

  async function open(...mcpServers) {
    const agent = scriptedAgent()
      .on('initialize', { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } })
      .on('session/new', { sessionId: 's1' });
    const clientInfo = { name: 'program', version: '1.0.0' };
    const connection = await connect(agent.transport, { clientInfo, onDiagnostic: () => {} });
    await connection.newSession({ cwd: '/project', mcpServers });
    const client = new Client({ name: 'agent', version: '1.0.0' });
    await client.connect(transportOf(agent.calls('session/new')[0].params.mcpServers[0]));
    const close = async () => {
      await client.close();
      await connection.close();
    };
    return { client, close };
  }
`;

/**
 * A program that gives an agent a tool over each of the ways in `argv`, and calls it with the official client of MCP. It
 * prints what the calls return.
 */
export const toolProgram = `${openServers}
  import { toolServer } from 'acp-client-sdk/tools';

  async function call(transport) {
    const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const greet = { description: 'Greets.', input, run: ({ name }) => 'Hello, ' + name + ', over ' + transport };
    const { client, close } = await open(
      toolServer({ name: 'editor', tools: { greet }, transports: [transport] }),
    );
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    await close();
    return content[0].text;
  }

  async function main() {
    const said = [];
    for (const transport of process.argv.slice(2)) said.push(await call(transport));
    console.log(JSON.stringify(said));
  }

  main().catch((error) => console.log(JSON.stringify({ name: error.name, message: error.message })));
`;

/** A program for a page, which has only the way over the connection: each request is an `mcp/message`. */
export const pageProgram = `
  import { connect } from 'acp-client-sdk';
  import { scriptedAgent } from 'acp-client-sdk/testing';
  import { toolServer } from 'acp-client-sdk/tools';

  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  export async function main(agentCapabilities) {
    const agent = scriptedAgent()
      .on('initialize', { protocolVersion: 1, agentCapabilities })
      .on('session/new', { sessionId: 's1' });
    const clientInfo = { name: 'page', version: '1.0.0' };
    const connection = await connect(agent.transport, { clientInfo, onDiagnostic: () => {} });
    const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const greet = { description: 'Greets.', input, run: ({ name }) => 'Hello, ' + name };
    const editor = toolServer({ name: 'editor', tools: { greet } });
    await connection.newSession({ cwd: '/project', mcpServers: [editor] });
    const [{ serverId }] = agent.calls('session/new')[0].params.mcpServers;
    const params = { name: 'greet', arguments: { name: 'Ada' }, _meta: envelope };
    const message = { serverId, requestId: '1', method: 'tools/call', params };
    const { result } = await agent.request('mcp/message', message);
    await connection.close();
    return { transport: editor.transport, content: result.result?.content ?? result };
  }
`;
