// Serves an agent that speaks over stdin and stdout to clients on other machines, over streamable HTTP and WebSocket.
// Each connection gets a process of the agent.
//
//   ACP_TOKEN=secret node serve.mjs [agent command]
//
// Anyone with the token can run commands as the user of this program. Without TLS, it must listen on this machine only.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { extname } from 'node:path';
import * as sdk from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { demoAgentCommand, spawnAgent } from 'acp-client-sdk/node';
import { WebSocketServer } from 'ws';

const { ACP_TOKEN, TLS_KEY, TLS_CERT, SITE, HOST = '127.0.0.1', PORT = 8137 } = process.env;
const { IDLE_MS = 120_000, MAX_CONNECTIONS = 20, MAX_MESSAGE_BYTES = 2 ** 24 } = process.env;
if (!ACP_TOKEN) throw new Error('Set ACP_TOKEN to a long random text, which clients send as a bearer token.');
const maxLineBytes = Number(MAX_MESSAGE_BYTES);
const [command, ...args] = process.argv.slice(2);
const program = command ? { command, args } : demoAgentCommand();

const [agents, timers] = [new Map(), new Map()]; // agents with their sessions, and the ends of connections
const acp = new AcpServer({ createAgent: () => ({ connect }), maxBufferedBytes: 2 * maxLineBytes });

/** Starts an agent for one connection. */
function connect({ readable, writable }) {
  const agent = spawnAgent({ ...program, env: { ...program.env, ACP_TOKEN: undefined }, maxLineBytes });
  const sessions = new Set();
  agents.set(agent, sessions);
  agent.reaped.then(() => agents.delete(agent));
  const [fromClient, toClient, resume] = [readable.getReader(), writable.getWriter(), () => agent.resume()];
  const onMessage = (message) => {
    if (message.result?.sessionId) sessions.add(message.result.sessionId);
    agent.pause(); // until the client has room for the next one
    toClient.write(message).then(resume, resume);
  };
  agent.listen({ onMessage, onDiagnostic: ({ message }) => console.error(message), onActivity() {} });
  const send = async (message) => {
    if (/^session\/(load|resume)$/.test(message.method)) await take(message.params?.sessionId, agent);
    await agent.send(message);
  };
  const next = () => fromClient.read().then(({ done, value }) => done || send(value).then(next));
  next().catch(() => {}); // the client or the agent has ended
  fromClient.closed.catch(() => {}).finally(() => end(agent));
  return { closed: agent.ended.then(({ error }) => error && console.error(error.message)) };
}

/** Ends an agent. What it still does is cancelled: its client no longer sees it. */
function end(agent) {
  const cancel = (sessionId) =>
    agent.send({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
  agents.get(agent)?.forEach((sessionId) => void cancel(sessionId).catch(() => {}));
  return agent.close();
}

/** Gives a session to an agent, when no other agent works on it: one whose client was lost can be at work still. */
async function take(sessionId, agent) {
  const others = Array.from(agents.keys()).filter((one) => one !== agent && agents.get(one).has(sessionId));
  await Promise.all(others.map((one) => end(one).then(() => one.reaped)));
  agents.get(agent)?.add(sessionId);
}

/** Returns the status of a request that is refused. A page has the token in a cookie: its WebSocket has no headers. */
function refusal({ url, headers }) {
  const hash = (text) => createHash('sha256').update(text).digest();
  const { origin, cookie, authorization, host = headers[':authority'] } = headers;
  const token = authorization ?? `Bearer ${/(?:^|; )acp_token=([^;]*)/.exec(cookie)?.[1]}`;
  if (url !== '/acp') return 404;
  if (origin && origin.replace(/^https?:\/\//, '') !== host) return 403; // a page of another site
  if (!timingSafeEqual(hash(token), hash(`Bearer ${ACP_TOKEN}`))) return 401;
  return headers['acp-connection-id'] || agents.size < MAX_CONNECTIONS ? undefined : 503;
}

// A page at the origin of the agent needs no CORS, and its cookie reaches the agent.
const names = SITE ? readdirSync(SITE) : [];
const site = new Map(names.map((name) => [`/${name}`, readFileSync(`${SITE}/${name}`)]));
const types = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript' };

function onRequest(request, response) {
  const path = request.url.replace(/^\/(?=$|\?)/, '/page.html').replace(/\?.*/, '');
  const file = request.method === 'GET' && site.get(path);
  if (file) return response.writeHead(200, { 'Content-Type': types[extname(path)] }).end(file);
  const status = refusal(request);
  if (status) return response.writeHead(status, { 'Retry-After': 5 }).end();
  if (request.httpVersionMajor === 2) adapt(request, response);
  const { 'acp-connection-id': id, 'acp-session-id': session } = request.headers;
  if (!session && request.method === 'GET') clearTimeout(timers.get(id));
  if (!session) response.on('close', () => endLater(response, id));
  response.setHeader('X-Accel-Buffering', 'no'); // nginx passes streams on at once
  sdk.createNodeHttpHandler(acp, { maxRequestBodyBytes: maxLineBytes })(request, response);
}

/** Over HTTP, a client that is gone does not say so: its connection has no stream for some time. */
function endLater(response, id = response.getHeader('acp-connection-id')) {
  if (response.statusCode !== 200) return; // neither a stream nor a new connection
  const request = new Request('http://host/', { method: 'DELETE', headers: { 'acp-connection-id': id } });
  const end = () => timers.delete(id) && acp.handleRequest(request);
  timers.set(id, setTimeout(end, IDLE_MS));
}

/** The SDK's adapter knows HTTP/1 only, without headers such as `:path`, and with `Connection`. */
function adapt(request, response) {
  const value = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name[0] !== ':'));
  Object.defineProperty(request, 'headers', { value });
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => name === 'connection' || set(name, value);
}

const sockets = new WebSocketServer({ noServer: true, maxPayload: maxLineBytes });
function onUpgrade(request, socket, head) {
  const status = refusal(request);
  if (!status) return sdk.createNodeWebSocketUpgradeHandler(acp, sockets)(request, socket, head);
  socket.on('error', () => {}).end(`HTTP/1.1 ${status} No\r\nConnection: close\r\nRetry-After: 5\r\n\r\n`);
}
// Proxies end a silent connection.
setInterval(() => sockets.clients.forEach((socket) => void socket.ping()), 15_000).unref();

const tls = TLS_KEY && { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT), allowHTTP1: true };
const server = tls ? createSecureServer(tls, onRequest) : createServer(onRequest);
server.on('upgrade', onUpgrade).listen(PORT, HOST, () => {
  console.log(`${tls ? 'https' : 'http'}://${HOST}:${server.address().port}/acp`);
});

const stop = async () => {
  await acp.close();
  await Promise.all(Array.from(agents.keys(), (agent) => agent.close()));
  process.exit();
};
process.once('SIGINT', stop).once('SIGTERM', stop);
