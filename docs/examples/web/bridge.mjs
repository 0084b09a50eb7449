// The host of the page: runs an agent, and shows it to every page that connects.
//
//   node docs/examples/web/bridge.mjs [--port 8137] [-- agent command]
//
// A page that connects can make the agent run commands on this machine. So the bridge listens on this machine only, and
// turns away pages of other sites, which a browser would let connect. An editor would ask for a secret of its own as well.
import { parseArgs } from 'node:util';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { servePanel, webSocketChannel } from 'acp-client-sdk/panel';
import { WebSocketServer } from 'ws';

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '8137' } },
  allowPositionals: true,
});
const [command, ...args] = positionals;
const agentCommand = command === undefined ? demoAgentCommand() : { command, args };

const panel = servePanel({
  agent: () => spawnAgent(agentCommand),
  connect: {
    clientInfo: { name: 'web-example', title: 'Web example', version: '1.0.0' },
    promptSuggestions: true,
    onDiagnostic: ({ severity, message }) => severity !== 'info' && console.error(message),
  },
  workspace: () => ({ cwd: process.cwd() }),
  // The example sessions of the demo agent are in other directories.
  sessions: 'all',
});

const ourHosts = new Set(['127.0.0.1', 'localhost']);
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(values.port),
  verifyClient: ({ origin }) => URL.canParse(origin) && ourHosts.has(new URL(origin).hostname),
});

server.on('connection', (socket) => {
  const detach = panel.attach(webSocketChannel(socket));
  socket.on('close', detach);
});

server.on('listening', () => {
  const { port } = server.address();
  console.log(`ws://127.0.0.1:${port}`);
});
