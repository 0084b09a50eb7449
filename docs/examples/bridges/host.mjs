// Serves the pages with one agent: node host.mjs [agent command]. Without a command it runs the demo agent.
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { servePanel, webSocketChannel } from 'acp-client-sdk/panel';
import { build } from 'esbuild';
import { WebSocketServer } from 'ws';

const [command, ...args] = process.argv.slice(2);
// So that a session goes on after a crash, and no other one gets its id.
const demo = { sessionsDirectory: `${tmpdir()}/acp-bridges-example` };
const panel = servePanel({
  agent: () => spawnAgent(command ? { command, args } : demoAgentCommand(demo)),
  connect: { clientInfo: { name: 'chats', version: '1.0.0' } },
  workspace: () => ({ cwd: process.cwd() }),
  sessions: 'all', // also those of other folders
});

// PAGES names some of them, so that the packages of the others need not be installed.
const pages = (process.env.PAGES ?? 'use-chat assistant-ui copilotkit').split(' ');
console.error(`Bundling ${pages.join(', ')}. This can take a minute.`);
const { outputFiles } = await build({
  entryPoints: pages.map((name) => `${import.meta.dirname}/${name}.jsx`),
  bundle: true,
  format: 'esm',
  outdir: '/',
  write: false,
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  loader: { '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl' },
  logLevel: 'error',
});
const html = (name) => `<!doctype html><html lang="en"><title>${name}</title>
  <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
  <link rel="stylesheet" href="/${name}.css"><div id="root"></div><script type="module" src="/${name}.js"></script></html>`;

const url = () => `http://127.0.0.1:${server.address().port}`;
// Another page in the same browser must not control the agent.
const isOwn = ({ headers: { host, origin = url() } }) => `http://${host}` === url() && origin === url();
const server = createServer((request, response) => {
  if (!isOwn(request)) return response.writeHead(403).end();
  const file = outputFiles.find(({ path }) => path === request.url);
  const type = request.url.endsWith('.js') ? 'javascript' : request.url.endsWith('.css') ? 'css' : 'html';
  const name = pages.find((page) => request.url === `/${page}`) ?? pages[0];
  response.setHeader('content-type', `text/${type}; charset=utf-8`);
  response.end(file?.contents ?? html(name));
});
const sockets = new WebSocketServer({ server, verifyClient: ({ req }) => isOwn(req) });
sockets.on('connection', (socket) => panel.attach(webSocketChannel(socket)));
server.listen(Number(process.env.PORT ?? 8138), '127.0.0.1', () => {
  for (const name of pages) console.log(`${url()}/${name}`);
});
