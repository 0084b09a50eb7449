// An agent behind the official SDK's server, over streamable HTTP and WebSocket:
// `node remote-server.mjs <JSON of { version, histories, tls }>`. The agent runs in this process. Its messages are parsed
// before the server listens, and go to the server one by one, as an agent's do. Prints its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { WebSocketServer } from 'ws';
import { initializeResult } from '../clients/agent-command.mjs';

const { version, histories = {}, tls } = JSON.parse(process.argv[2]);
const messages = new Map(
  Object.entries(histories).map(([sessionId, path]) => [
    sessionId,
    readFileSync(path, 'utf8').trimEnd().split('\n').map(JSON.parse),
  ]),
);

/** So many messages arrive together from an agent that is a program: what fits into a pipe. */
const messagesOfARead = 80;

let sessions = 0;

function connect({ readable, writable }) {
  const writer = writable.getWriter();
  const replay = async ({ sessionId }) => {
    for (const [index, message] of messages.get(sessionId).entries()) {
      await writer.write(message);
      if (index % messagesOfARead === messagesOfARead - 1) await new Promise(setImmediate);
    }
    return {};
  };
  const methods = {
    initialize: () => initializeResult[version],
    'session/new': () => ({ sessionId: `bench-${++sessions}` }),
    'session/load': replay,
    'session/resume': replay,
    'session/close': () => ({}),
    /** The text of the prompt is the number of chunks. */
    async 'session/prompt'({ sessionId, prompt: [{ text }] }) {
      for (let chunk = 0; chunk < Number(text); chunk++) {
        const content = { type: 'text', text: `${sessionId} says ${chunk}, and goes on. ` };
        const update = { sessionUpdate: 'agent_message_chunk', messageId: `${sessionId}-answer`, content };
        await writer.write({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
      }
      return { stopReason: 'end_turn' };
    },
  };
  const answer = async ({ id, method, params }) => {
    if (id === undefined || method === undefined) return;
    const handler = methods[method];
    const outcome = handler
      ? { result: await handler(params) }
      : { error: { code: -32601, message: `Method not found: ${method}` } };
    await writer.write({ jsonrpc: '2.0', id, ...outcome });
  };
  const read = async () => {
    // A connection that ends while an answer is written makes the write fail.
    for await (const message of readable) answer(message).catch(() => {});
  };
  return { closed: read().catch(() => {}) };
}

/** The SDK's adapter knows HTTP/1 only, without headers such as `:path`, and with `Connection`. */
function adapt(request, response) {
  const value = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name[0] !== ':'));
  Object.defineProperty(request, 'headers', { value });
  const set = response.setHeader.bind(response);
  response.setHeader = (name, given) => name === 'connection' || set(name, given);
}

const acp = new AcpServer({ createAgent: () => ({ connect }) });
const handle = createNodeHttpHandler(acp);
const onRequest = (request, response) => {
  if (request.httpVersionMajor === 2) adapt(request, response);
  handle(request, response);
};
const server = tls
  ? createSecureServer(
      { key: readFileSync(tls.key), cert: readFileSync(tls.cert), allowHTTP1: true },
      onRequest,
    )
  : createServer(onRequest);
const sockets = new WebSocketServer({ noServer: true });
server.on('upgrade', createNodeWebSocketUpgradeHandler(acp, sockets));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
// The benchmark that started it has ended.
process.stdin.on('end', () => process.exit()).resume();
