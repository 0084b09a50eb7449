import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import { initializeParams, replayRequest } from './agent-command.mjs';
import { webSocketUrl } from './remote-ways.mjs';

const channels = { websocket: openWebSocket, http1: openHttp };

/** What no client of a remote agent can do without: the messages cut out of what arrives, and each parsed. */
export async function connectRemoteFloor({ version, updates: expected, remote }) {
  const waiting = new Map();
  let updates = 0;
  const channel = await channels[remote.way](remote.url, (text) => {
    const message = JSON.parse(text);
    if (message.id === undefined) updates++;
    else waiting.get(message.id)(message.result);
  });
  let lastId = 0;
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      channel.send({ jsonrpc: '2.0', id, method, params });
    });
  await request('initialize', initializeParams[version]);
  return {
    async replay(sessionId) {
      updates = 0;
      const { method, params } = replayRequest[version](sessionId);
      await request(method, params);
      // Over HTTP the answer comes on another stream than the updates.
      while (updates < expected) await new Promise(setImmediate);
      return { updates };
    },
    close: () => channel.close(),
  };
}

async function openWebSocket(url, onMessage) {
  const socket = new WebSocket(webSocketUrl(url));
  socket.on('message', (data) => onMessage(data.toString()));
  await once(socket, 'open');
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

async function openHttp(url, onMessage) {
  const agent = new Agent({ keepAlive: true });
  let ids = {};
  const send = async (method, headers, body) => {
    const request = httpRequest(url, { method, agent, headers: { ...ids, ...headers } });
    request.end(body);
    const [response] = await once(request, 'response');
    return response;
  };
  const openStream = async (headers = {}) => {
    const stream = await send('GET', { accept: 'text/event-stream', ...headers });
    readEvents(stream, onMessage);
    return stream;
  };
  const streams = [];
  return {
    async send(message) {
      const sessionId = message.params.sessionId;
      const session = sessionId === undefined ? {} : { 'acp-session-id': sessionId };
      if (sessionId !== undefined) streams.push(await openStream(session));
      const json = { 'content-type': 'application/json', ...session };
      const response = await send('POST', json, JSON.stringify(message));
      if (message.method !== 'initialize') return response.resume();
      const text = Buffer.concat(await response.toArray()).toString();
      ids = { 'acp-connection-id': response.headers['acp-connection-id'] };
      streams.push(await openStream());
      onMessage(text);
    },
    async close() {
      for (const stream of streams) stream.destroy();
      (await send('DELETE', {})).resume();
      agent.destroy();
    },
  };
}

const prefix = 'data: '.length;

/** Each event of the official server is one line of data, and an empty line. A comment is none. */
function readEvents(stream, onMessage) {
  let rest = '';
  stream.setEncoding('utf8').on('error', () => {});
  stream.on('data', (chunk) => {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop();
    for (const event of events) if (event.startsWith('data: ')) onMessage(event.slice(prefix));
  });
}
