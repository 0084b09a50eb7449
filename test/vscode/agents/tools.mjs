// Calls a tool of the editor in each turn, with the official client of MCP: "open_file notes.txt 2", "diagnostics notes.txt".
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serve } from './serve.mjs';

serve({
  name: 'tools-agent',
  title: 'Agent with tools',
  async turn({ text, cwd, mcpServers, update, say }) {
    const [name, file, line] = text.split(' ');
    const input = { path: join(cwd, file), ...(line && { line: Number(line) }) };
    const [{ url, headers }] = mcpServers;
    const requestInit = { headers: headers.map(({ name: header, value }) => [header, value]) };
    const client = new Client({ name: 'tools-agent', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const { tools } = await client.listTools();
    const tool = { toolCallId: `${text} ${Date.now()}`, title: text, status: 'in_progress', rawInput: input };
    await update({ sessionUpdate: 'tool_call', ...tool });
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const status = isError ? 'failed' : 'completed';
    await update({ sessionUpdate: 'tool_call_update', toolCallId: tool.toolCallId, status });
    await client.close();
    await say(`${tools.length} tools. \`${text}\` ${status}: \`${content[0].text}\``);
  },
});
