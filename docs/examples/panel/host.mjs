// Serves a panel for one agent: node host.mjs [agent command]. Without a command it runs the demo agent.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { servePanel, webSocketChannel } from 'acp-client-sdk/panel';
import { build } from 'esbuild';
import { WebSocketServer } from 'ws';

const [command, ...args] = process.argv.slice(2);
const panel = servePanel({
  agent: () => spawnAgent(command ? { command, args } : demoAgentCommand()),
  connect: { clientInfo: { name: 'panel', version: '1.0.0' }, promptSuggestions: true },
  workspace: () => ({ cwd: process.cwd() }),
  sessions: 'all', // also those of other folders
});

const entryPoints = [`${import.meta.dirname}/page.js`];
const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', outdir: '/', write: false });
const html = await readFile(`${import.meta.dirname}/page.html`);
const url = () => `http://127.0.0.1:${server.address().port}`;
// Another page in the same browser must not control the agent.
const isOwn = ({ headers: { host, origin = url() } }) => `http://${host}` === url() && origin === url();
const server = createServer((request, response) => {
  if (!isOwn(request)) return response.writeHead(403).end();
  const file = outputFiles.find(({ path }) => path.endsWith(request.url)); // /page.js or /page.css
  const type = { '.js': 'javascript', '.css': 'css' }[extname(request.url)] ?? 'html';
  response.setHeader('content-type', `text/${type}; charset=utf-8`);
  response.end(file?.contents ?? html);
});
const sockets = new WebSocketServer({ server, verifyClient: ({ req }) => isOwn(req) });
sockets.on('connection', (socket) => panel.attach(webSocketChannel(socket)));
server.listen(Number(process.env.PORT ?? 8137), '127.0.0.1', () => console.log(url()));
