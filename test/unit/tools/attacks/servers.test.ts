import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { mcpServer } from '../../../../src/entries/tools.ts';
import { eventually } from '../../../support/eventually.ts';
import { cwd } from '../../../support/open-session.ts';
import { connectTools } from '../../../support/open-tools.ts';
import { describedTo } from '../../../support/tool-client.ts';
import { tokenOf } from '../../../support/tool-target.ts';

test('a request over HTTP that begins no session of MCP leaves no server behind', async () => {
  let made = 0;
  let closed = 0;
  const own = mcpServer({
    name: 'own',
    transports: ['http'],
    create() {
      made++;
      const server = new Server({ name: 'own', version: '1' }, { capabilities: { tools: {} } });
      const close = server.close.bind(server);
      server.close = () => {
        closed++;
        return close();
      };
      return server;
    },
  });
  const { agent, connection } = await connectTools();
  await connection.newSession({ cwd, mcpServers: [own] });
  const server = describedTo(agent);
  for (let id = 0; id < 5; id++) {
    const answer = await fetch(String(server['url']), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf(server)}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }),
    });
    await answer.text();
  }
  expect(made).toBeGreaterThan(0);
  await eventually(() => closed).toBe(made);
});
