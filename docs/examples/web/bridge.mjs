// The host of the page: node bridge.mjs [agent command]. Without a command it runs the demo agent.
//
// A page that connects can make the agent run commands on this machine. So the bridge listens on this machine only, and
// turns away pages of other sites, which a browser would let connect. An editor would ask for a secret of its own as well.
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { servePanel, webSocketChannel } from 'acp-client-sdk/panel';
import { WebSocketServer } from 'ws';

const [command, ...args] = process.argv.slice(2);
const panel = servePanel({
  agent: () => spawnAgent(command ? { command, args } : demoAgentCommand()),
  connect: {
    clientInfo: { name: 'web-example', title: 'Web example', version: '1.0.0' },
    promptSuggestions: true,
    onDiagnostic: ({ severity, message }) => severity !== 'info' && console.error(message),
  },
  workspace: () => ({ cwd: process.cwd() }),
  sessions: 'all', // also those of other folders
});

const ourHosts = ['127.0.0.1', 'localhost'];
const server = new WebSocketServer({
  host: '127.0.0.1',
  port: Number(process.env.PORT ?? 8137),
  verifyClient: ({ origin }) => URL.canParse(origin) && ourHosts.includes(new URL(origin).hostname),
});
server.on('connection', (socket) => panel.attach(webSocketChannel(socket)));
server.on('listening', () => console.log(`ws://127.0.0.1:${server.address().port}`));
