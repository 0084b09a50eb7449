import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { WebSocketServer } from 'ws';
import { markName } from '../agents/place.mjs';

/**
 * Starts a demo agent for each WebSocket that connects. The address has a secret: the worker of a web extension has no
 * origin that could be checked.
 *
 * @param mark - The mark of the agents' processes.
 */
export async function startBridge(mark) {
  const path = `/${randomUUID()}`;
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path });
  await once(server, 'listening');
  const ends = [];
  server.on('connection', (socket) => {
    const agent = spawnAgent({ ...demoAgentCommand(), env: { [markName]: mark } });
    agent.listen({
      onMessage: (message) => socket.send(JSON.stringify(message)),
      onDiagnostic: ({ message }) => console.error(message),
      onActivity() {},
    });
    socket.on('message', (data) => agent.send(JSON.parse(String(data))).catch(() => {})); // the channel has ended
    socket.on('close', () => agent.close());
    agent.ended.then(() => socket.close());
    ends.push(agent.ended);
  });
  return {
    url: `ws://127.0.0.1:${server.address().port}${path}`,
    async stop() {
      for (const socket of server.clients) socket.terminate();
      await Promise.all(ends);
      server.close();
    },
  };
}
