import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';
import { LateTransport } from '../../../src/core/transport/late-transport.ts';
import { WebSocketTransport } from '../../../src/core/transport/websocket.ts';
import { listen } from '../../../src/node/loopback/http-server.ts';
import { type AgentHost, LateAgentEnd, perLine } from './wire.ts';

/** Agents behind a WebSocket server. */
export async function webSocketHost(): Promise<AgentHost> {
  const agents: LateAgentEnd[] = [];
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on('connection', (socket, { url = '' }) => {
    const end = agents[Number(url.slice(1))];
    if (!end) throw new Error(`There is no agent ${url}.`);
    socket.on('message', (data) => end.receive(String(data)));
    socket.once('close', () => end.clientEnded());
    end.attach({
      write: perLine((line) => socket.send(line)),
      end: () => socket.close(),
      closeInput: () => socket.terminate(),
      exit: ({ exitCode = 1 } = {}) => socket.close(1011, `The agent exited with code ${exitCode}.`),
    });
  });
  const port = await listen(http);
  return {
    open() {
      const agent = new LateAgentEnd();
      const number = agents.push(agent) - 1;
      const transport = new LateTransport(async () => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/${number}`);
        await once(socket, 'open');
        return new WebSocketTransport(socket);
      });
      return { transport, agent, breakOff: () => agent.closeInput() };
    },
    async close() {
      for (const client of server.clients) client.terminate();
      http.close();
    },
  };
}
