// Serves a page with the panel of an agent: node server.mjs [agent command]. Without a command it runs the demo agent.
//
// A page that connects can make the agent run commands on this machine. So the server listens on this machine only, and
// turns away pages of other sites, which a browser would let connect. An editor would ask for a secret of its own as well.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname } from 'node:path';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { servePanel, webSocketChannel } from 'acp-client-sdk/panel';
import { build } from 'esbuild';
import { WebSocketServer } from 'ws';

const [command, ...args] = process.argv.slice(2);
// Its sessions outlive a crash, as those of other agents do.
const demo = { sessionsDirectory: `${tmpdir()}/acp-web-example` };
const panel = servePanel({
  agent: () => spawnAgent(command ? { command, args } : demoAgentCommand(demo)),
  connect: {
    clientInfo: { name: 'web-example', title: 'Web example', version: '1.0.0' },
    promptSuggestions: true,
    onDiagnostic: ({ severity, message }) => severity !== 'info' && console.error(message),
  },
  workspace: () => ({ cwd: process.cwd() }),
  sessions: 'all', // also those of other folders
});

const { outputFiles } = await build({
  entryPoints: [`${import.meta.dirname}/page.js`, `${import.meta.dirname}/page.css`],
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  outdir: '/',
  write: false,
});
const html = await readFile(`${import.meta.dirname}/page.html`);
const url = () => `http://127.0.0.1:${server.address().port}`;
const isOwn = ({ headers: { host, origin = url() } }) => `http://${host}` === url() && origin === url();
const server = createServer((request, response) => {
  if (!isOwn(request)) return response.writeHead(403).end();
  const file = outputFiles.find(({ path }) => path === request.url);
  const type = { '.js': 'javascript', '.css': 'css' }[extname(request.url)] ?? 'html';
  response.setHeader('content-type', `text/${type}; charset=utf-8`);
  response.end(file?.contents ?? html);
});
const sockets = new WebSocketServer({ server, verifyClient: ({ req }) => isOwn(req) });
sockets.on('connection', (socket) => panel.attach(webSocketChannel(socket)));
server.listen(Number(process.env.PORT ?? 8137), '127.0.0.1', () => console.log(url()));
