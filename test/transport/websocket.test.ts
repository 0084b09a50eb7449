import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  ConnectionClosedError,
  connect,
  type Diagnostic,
  MessageTooLargeError,
  type Transport,
  webSocketTransport,
} from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Bridge {
  readonly url: string;
  /** The server's side of the socket, once there is one. */
  readonly accepted: Promise<WebSocket>;
}

async function listen(answer?: (socket: WebSocket, message: string) => void): Promise<Bridge> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  closers.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const accepted = new Promise<WebSocket>((resolve) => {
    server.once('connection', (socket) => {
      socket.on('message', (data) => answer?.(socket, String(data)));
      resolve(socket);
    });
  });
  return { url: `ws://127.0.0.1:${portOf(server.address())}`, accepted };
}

function portOf(address: ReturnType<Server['address']>): number {
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

interface Channel {
  readonly socket: WebSocket;
  readonly transport: Transport;
  readonly received: unknown[];
  readonly diagnostics: Diagnostic[];
  /** Resolves when the reader has delivered everything and said so. */
  readonly drained: Promise<void>;
}

function open(url: string, options?: Parameters<typeof webSocketTransport>[1]): Channel {
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket, options);
  const received: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  // The transport hands its reader's diagnostics over where it is asked to: on the reader, as the connection does.
  Object.assign(transport.reader, { onDiagnostic: (diagnostic: Diagnostic) => diagnostics.push(diagnostic) });
  const drained = new Promise<void>((resolve) => {
    transport.reader.onClose(() => resolve());
  });
  transport.reader.listen((message) => received.push(message));
  return { socket, transport, received, diagnostics, drained };
}

const message = (text: string) => ({ jsonrpc: '2.0', method: 'session/update', params: { text } });

test('a connection works over a socket that is still connecting, and closes it in an orderly way', async () => {
  const { url, accepted } = await listen((socket, text) => {
    const { id, method } = JSON.parse(text);
    if (method === 'initialize') {
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } }),
      );
    } else {
      // The update and the answer in one go: the conversation must have the first when the second resolves.
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { sessionId: 's1' } }));
    }
  });
  const transport = webSocketTransport(new WebSocket(url));
  const connection = await connect(transport, { clientInfo: { name: 'test', version: '0' } });
  const session = await connection.newSession({ cwd: '/project' });
  expect(session.sessionId).toBe('s1');
  const server = await accepted;
  const goodbye = once(server, 'close');
  await connection.close();
  expect((await goodbye)[0]).toBe(1000);
  expect(await connection.closed).toEqual({});
});

test('what is written while the socket connects is sent in order, one message a text frame', async () => {
  const frames: string[] = [];
  const { url } = await listen((socket, text) => {
    if (frames.push(text) === 3) socket.close();
  });
  const { transport, drained } = open(url);
  const writes = ['one', 'two'].map((text) => transport.writer.write(message(text) as never));
  await Promise.all(writes);
  await transport.writer.write(message('three\n') as never);
  await drained;
  expect(frames).toEqual(['one', 'two', 'three\n'].map((text) => JSON.stringify(message(text))));
});

test('messages are read in order, in text frames and binary ones', async () => {
  const { url, accepted } = await listen();
  const { received, diagnostics, drained } = open(url);
  const server = await accepted;
  server.send(JSON.stringify(message('λ 🐑')));
  server.send(Buffer.from(JSON.stringify(message('binary 🐑'))), { binary: true });
  server.send(JSON.stringify([message('in an array')]));
  server.close();
  await drained;
  expect(received).toEqual([message('λ 🐑'), message('binary 🐑'), [message('in an array')]]);
  expect(diagnostics).toEqual([]);
});

test('a frame that is no JSON message is a diagnostic, and the next one goes on', async () => {
  const { url, accepted } = await listen();
  const { received, diagnostics, drained } = open(url);
  const server = await accepted;
  for (const noise of ['Listening on 8080', '', '42', '{"a":1}\n{"b":2}']) server.send(noise);
  server.send(Buffer.from([0xff, 0xfe]), { binary: true });
  server.send(JSON.stringify(message('after')));
  server.close();
  await drained;
  expect(received).toEqual([message('after')]);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(4).fill('transport.noise'));
  expect(diagnostics[0]).toMatchObject({ severity: 'warning', received: 'Listening on 8080' });
});

test('a close by the other side ends the channel with its code and reason, after what was said before', async () => {
  const { url, accepted } = await listen();
  const { transport, received, drained } = open(url);
  const server = await accepted;
  server.send(JSON.stringify(message('last words')));
  server.close(4001, 'the session has expired');
  const end = await transport.ended;
  expect(end?.error).toBeInstanceOf(ConnectionClosedError);
  expect(end?.error).toMatchObject({
    code: 'connection.closed',
    socketClose: { closeCode: 4001, reason: 'the session has expired' },
    message: expect.stringContaining('4001: the session has expired'),
  });
  await drained;
  expect(received).toEqual([message('last words')]);
});

test('a call that waits when the socket breaks rejects, and says with which code it was closed', async () => {
  const { url, accepted } = await listen((socket, text) => {
    const { id, method } = JSON.parse(text);
    if (method !== 'initialize') return socket.terminate();
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } }),
    );
  });
  const connection = await connect(webSocketTransport(new WebSocket(url)), {
    clientInfo: { name: 'test', version: '0' },
  });
  await accepted;
  const error = await connection.newSession({ cwd: '/project' }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'connection.closed',
    method: 'session/new',
    message: expect.stringContaining('1006'),
    cause: { socketClose: { closeCode: 1006, reason: '' } },
  });
  expect((await connection.closed).error).toMatchObject({ socketClose: { closeCode: 1006 } });
});

test('a socket that cannot be opened makes connect reject, and says why', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const port = portOf(taken.address());
  await new Promise((resolve) => {
    taken.close(resolve);
  });
  const transport = webSocketTransport(new WebSocket(`ws://127.0.0.1:${port}`));
  const connecting = connect(transport, { clientInfo: { name: 'test', version: '0' } });
  await expect(connecting).rejects.toMatchObject({
    code: 'connection.closed',
    message: expect.stringMatching(/could not be opened.*ECONNREFUSED/),
    cause: { socketClose: { closeCode: 1006 } },
  });
});

test('a socket that is closed already is told at once', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  await Promise.all([accepted, once(socket, 'open')]);
  socket.terminate();
  await once(socket, 'close');
  const transport = webSocketTransport(socket);
  const connecting = connect(transport, { clientInfo: { name: 'test', version: '0' } });
  await expect(connecting).rejects.toThrow('closed before it was used');
});

test('a message over the limit ends the channel; one at the limit does not', async () => {
  const exact = JSON.stringify(message('é'.repeat(100)));
  const limitBytes = Buffer.byteLength(exact);
  const { url, accepted } = await listen();
  const { transport, received, drained } = open(url, { maxMessageBytes: limitBytes });
  const server = await accepted;
  const goodbye = once(server, 'close');
  server.send(exact);
  // As many characters, one byte more.
  server.send(JSON.stringify(message(`${'é'.repeat(99)}√`)));
  server.send(JSON.stringify(message('never read')));
  const end = await transport.ended;
  expect(end?.error).toBeInstanceOf(MessageTooLargeError);
  expect(end?.error).toMatchObject({ limitBytes });
  await drained;
  expect(received).toEqual([JSON.parse(exact)]);
  expect((await goodbye)[0]).toBe(4009);
});

test('closing while the socket connects is an orderly end, and drops what waits to be written', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const transport = webSocketTransport(new WebSocket(`ws://127.0.0.1:${portOf(silent.address())}`));
  const write = transport.writer.write(message('never sent') as never);
  await transport.close?.();
  expect(await transport.ended).toEqual({});
  await write;
});

test('the other side cannot hold up the end by not answering the close', async () => {
  const { url, accepted } = await listen();
  const { socket, transport } = open(url);
  const [server] = await Promise.all([accepted, once(socket, 'open')]);
  server.pause();
  await transport.close?.();
  expect(await transport.ended).toEqual({});
  expect(socket.readyState).not.toBe(WebSocket.OPEN);
});

test('while reading is held the socket is paused, and nothing is lost', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket);
  const server = await accepted;
  const text = 'x'.repeat(64 * 1024);
  for (let count = 0; count < 32; count++) server.send(JSON.stringify(message(`${count} ${text}`)));
  await eventually(() => socket.isPaused).toBe(true);
  const received: string[] = [];
  const drained = new Promise<void>((resolve) => {
    transport.reader.onClose(() => resolve());
  });
  transport.reader.listen((read) => {
    received.push((read as unknown as ReturnType<typeof message>).params.text.split(' ')[0] ?? '');
  });
  server.close();
  await drained;
  expect(received).toEqual(Array.from({ length: 32 }, (_, count) => String(count)));
});

test('a paused socket does not hold up its own end', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket);
  const server = await accepted;
  server.send(JSON.stringify(message('x'.repeat(1024 * 1024))));
  await eventually(() => socket.isPaused).toBe(true);
  const goodbye = once(server, 'close');
  await transport.close?.();
  expect((await goodbye)[0]).toBe(1000);
});

test('what JSON cannot say is not written, and the channel goes on', async () => {
  const frames: string[] = [];
  const { url } = await listen((socket, text) => {
    frames.push(text);
    socket.close();
  });
  const { transport, drained } = open(url);
  await expect(transport.writer.write({ jsonrpc: '2.0', params: { big: 1n } } as never)).rejects.toThrow(
    TypeError,
  );
  await transport.writer.write(message('fine') as never);
  await drained;
  expect(frames).toEqual([JSON.stringify(message('fine'))]);
});
