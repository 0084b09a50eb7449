import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { webSocketTransport } from '../../../src/transport/websocket.ts';
import { portOf } from './port.ts';
import { type AgentHost, LateAgentEnd, perLine } from './wire.ts';

/** Agents behind a WebSocket server. */
export async function webSocketHost(): Promise<AgentHost> {
  const agents: LateAgentEnd[] = [];
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
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
  await once(server, 'listening');
  return {
    open() {
      const agent = new LateAgentEnd();
      const number = agents.push(agent) - 1;
      const transport = webSocketTransport(new WebSocket(`ws://127.0.0.1:${portOf(server)}/${number}`));
      return { transport, agent, breakOff: () => agent.closeInput() };
    },
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}
