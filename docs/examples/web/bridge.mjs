// Starts an agent for each page that connects, and passes messages between its WebSocket and the agent's process.
//
//   node docs/examples/web/bridge.mjs [--port 8137] [-- agent command]
//
// A client that connects can make the agent run commands on this machine. So it listens on this machine only, and turns
// away pages of other sites, which a browser would let connect. An editor would ask for a secret of its own as well.
import { parseArgs } from 'node:util';
import { webSocketTransport } from 'acp-client-sdk';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { WebSocketServer } from 'ws';

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '8137' } },
  allowPositionals: true,
});
const [command, ...args] = positionals;
const agentCommand = command === undefined ? demoAgentCommand() : { command, args };

const ourHosts = new Set(['127.0.0.1', 'localhost']);
/** A code of our own: the reason says how the agent ended. */
const agentEnded = 4000;
/** A close frame has room for 123 bytes of a reason; a character that is cut in two takes up to two more than it had. */
const maxReasonBytes = 121;

const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(values.port),
  verifyClient: ({ origin }) => URL.canParse(origin) && ourHosts.has(new URL(origin).hostname),
});

/** Sends what arrives over one transport to another one. */
function forwardTo(transport) {
  return {
    onMessage: (message) => transport.send(message).catch(() => {}), // the channel has ended
    onDiagnostic: ({ message }) => console.error(message),
    onActivity() {},
  };
}

server.on('connection', (socket) => {
  const page = webSocketTransport(socket);
  const agent = spawnAgent(agentCommand);
  agent.listen(forwardTo(page));
  page.listen(forwardTo(agent));
  page.ended.then(() => agent.close());
  agent.ended.then(({ error }) => {
    const [reason = ''] = error?.message.split('\n') ?? [];
    socket.close(agentEnded, Buffer.from(reason).subarray(0, maxReasonBytes).toString());
  });
});

server.on('listening', () => {
  const { port } = server.address();
  console.log(`ws://127.0.0.1:${port}`);
});
