// Serves a panel for one agent: node host.mjs [agent command]. Without a command it runs the demo agent.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { connect } from 'acp-client-sdk';
import { publishConversation } from 'acp-client-sdk/conversation';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { build } from 'esbuild';

const [command, ...args] = process.argv.slice(2);
const pages = new Set(); // the event streams of the open pages
const questions = new Map(); // answers the permission requests, by session and tool call
let sessions = [];
let session, publisher; // of the session that the pages show

const send = (message) => pages.forEach((page) => void page.write(`data: ${JSON.stringify(message)}\n\n`));
const sendState = () => send({ agent: connection.state, sessions, sessionId: session?.sessionId });
const connection = await connect(() => spawnAgent(command ? { command, args } : demoAgentCommand()), {
  clientInfo: { name: 'panel', version: '1.0.0' },
  handlers: { requestPermission },
  reconnect: { maxAttempts: 3 }, // after a crash, the agent starts again and its sessions continue
});
connection.onStateChange(sendState);

function requestPermission({ toolCall }, { session, signal }) {
  return new Promise((resolve) => {
    signal.onabort = () => resolve({ outcome: 'cancelled' });
    questions.set(`${session.sessionId} ${toolCall?.toolCallId}`, resolve);
  });
}

async function listSessions() {
  sessions = [];
  const listing = connection.supports('session.list') ? connection.listSessions() : [];
  for await (const info of listing) sessions.push(info);
  sendState();
}

function show(opened) {
  publisher?.stop();
  session = opened;
  sendState();
  const schedule = (flush) => setTimeout(flush, 16); // one message for each frame
  publisher = publishConversation(session.store, { send: (update) => send({ update }), schedule });
}

const actions = {
  create: async () => show(await connection.newSession({ cwd: process.cwd() })),
  open: async (params) => show(await connection.openSession(params)),
  async prompt({ text }) {
    await connection.ready; // after a crash, the agent can still be starting
    if (!session) await actions.create();
    await session.prompt(text).then(listSessions); // the agent can have named the session
  },
  cancel: () => session.cancel(),
  answer: ({ question, optionId }) => questions.get(question)({ outcome: 'selected', optionId }),
  resend: () => publisher.resend(),
};

const entryPoints = [`${import.meta.dirname}/page.js`];
const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false });
const html = await readFile(`${import.meta.dirname}/page.html`);
const server = createServer(async (request, response) => {
  const { host, origin = `http://${host}` } = request.headers;
  // Another page in the same browser must not control the agent.
  if (host !== address() || origin !== `http://${host}`) return response.writeHead(403).end();
  if (request.url === '/events') {
    pages.add(response.setHeader('content-type', 'text/event-stream'));
    response.on('close', () => pages.delete(response));
    sendState();
    return publisher?.resend();
  }
  if (request.method === 'POST') {
    const done = json(request).then(({ action, ...message }) => actions[action](message));
    const error = await done.catch((reason) => reason);
    return response.end(JSON.stringify({ problem: error?.message, isKept: error?.promptAccepted }));
  }
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`);
  response.end(isScript ? outputFiles[0].contents : html);
});
const address = () => `127.0.0.1:${server.address().port}`;
await listSessions();
server.listen(Number(process.env.PORT ?? 8137), '127.0.0.1', () => console.log(`http://${address()}`));
