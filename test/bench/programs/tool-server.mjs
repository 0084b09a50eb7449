// A separate MCP server with one tool, made with the official package.
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { echoInput } from './echo-input.mjs';

const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
const echo = { name: 'echo', description: 'Returns the text.', inputSchema: echoInput };
server.setRequestHandler('tools/list', () => ({ tools: [echo] }));
server.setRequestHandler('tools/call', ({ params }) => ({
  content: [{ type: 'text', text: params.arguments.text }],
}));
await server.connect(new StdioServerTransport());
