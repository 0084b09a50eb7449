import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  ConnectionClosedError,
  connect,
  type Diagnostic,
  InvalidParamsError,
  MessageTooLargeError,
  type Transport,
  webSocketTransport,
} from '../../../src/entries/index.ts';
import { webSocketFor } from '../../../src/transport/http/open-web-socket.ts';
import { maxClosingMs } from '../../../src/transport/transport.ts';
import { eventually } from '../../support/eventually.ts';

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
}

function open(url: string, options?: Parameters<typeof webSocketTransport>[1]): Channel {
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket, options);
  const received: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  transport.listen({
    onMessage: (message) => received.push(message),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onActivity() {},
  });
  return { socket, transport, received, diagnostics };
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

test('messages that are sent while the socket connects are written in order, one per text frame', async () => {
  const frames: string[] = [];
  const { url } = await listen((socket, text) => {
    if (frames.push(text) === 3) socket.close();
  });
  const { transport } = open(url);
  const writes = ['one', 'two'].map((text) => transport.send(message(text)));
  await Promise.all(writes);
  await transport.send(message('three\n'));
  await transport.ended;
  expect(frames).toEqual(['one', 'two', 'three\n'].map((text) => JSON.stringify(message(text))));
});

test('messages are read in order, in text frames and binary ones', async () => {
  const { url, accepted } = await listen();
  const { transport, received, diagnostics } = open(url);
  const server = await accepted;
  server.send(JSON.stringify(message('λ 🐑')));
  server.send(Buffer.from(JSON.stringify(message('binary 🐑'))), { binary: true });
  server.send(JSON.stringify([message('in an array')]));
  server.close();
  await transport.ended;
  expect(received).toEqual([message('λ 🐑'), message('binary 🐑'), [message('in an array')]]);
  expect(diagnostics).toEqual([]);
});

test('a frame that is not a JSON message is a diagnostic, and the next one is read', async () => {
  const { url, accepted } = await listen();
  const { transport, received, diagnostics } = open(url);
  const server = await accepted;
  for (const noise of ['Listening on 8080', '', '42', '{"a":1}\n{"b":2}']) server.send(noise);
  server.send(Buffer.from([0xff, 0xfe]), { binary: true });
  server.send(JSON.stringify(message('after')));
  server.close();
  await transport.ended;
  expect(received).toEqual([message('after')]);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(4).fill('transport.noise'));
  expect(diagnostics[0]).toMatchObject({ severity: 'warning', received: 'Listening on 8080' });
});

test('a close by the other side ends the channel with its code and reason, after the messages before it', async () => {
  const { url, accepted } = await listen();
  const { transport, received } = open(url);
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
  await transport.ended;
  expect(received).toEqual([message('last words')]);
});

test('a call that is open when the socket breaks rejects with the close code', async () => {
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

test('a socket that cannot be opened makes connect reject with the reason', async () => {
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

test('a socket that is already closed makes connect reject', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  await Promise.all([accepted, once(socket, 'open')]);
  socket.terminate();
  await once(socket, 'close');
  const transport = webSocketTransport(socket);
  const connecting = connect(transport, { clientInfo: { name: 'test', version: '0' } });
  await expect(connecting).rejects.toThrow('closed before it was used');
});

test('[reliability: limit-remote-message] a message over the limit ends the channel; one at the limit does not', async () => {
  const exact = JSON.stringify(message('é'.repeat(100)));
  const limitBytes = Buffer.byteLength(exact);
  const { url, accepted } = await listen();
  const { transport, received } = open(url, { maxMessageBytes: limitBytes });
  const server = await accepted;
  const goodbye = once(server, 'close');
  server.send(exact);
  // As many characters, one byte more.
  server.send(JSON.stringify(message(`${'é'.repeat(99)}√`)));
  server.send(JSON.stringify(message('never read')));
  const end = await transport.ended;
  expect(end?.error).toBeInstanceOf(MessageTooLargeError);
  expect(end?.error).toMatchObject({ limitBytes });
  await transport.ended;
  expect(received).toEqual([JSON.parse(exact)]);
  expect((await goodbye)[0]).toBe(4009);
});

test('[reliability: limit-remote-message] a socket of the package ws has the limit of the other transports, and not its own', async () => {
  const limits: unknown[] = [];
  class Observed extends WebSocket {
    constructor(url: string, protocols: string[], options: { readonly maxPayload?: number }) {
      limits.push(options.maxPayload);
      super(url, protocols, options);
    }
  }
  const { url } = await listen();
  for (const limit of [undefined, 1000]) {
    const make = await webSocketFor({ WebSocket: Observed as never, maxMessageBytes: limit });
    const socket = make?.(url, {});
    closers.push(() => socket?.terminate?.());
    await new Promise<void>((resolve) => socket?.addEventListener('open', resolve));
  }
  expect(limits).toEqual([128 * 1024 * 1024, 1000]);
});

test('[reliability: limit-remote-message] a message over the limit of the socket ends the channel with the same error', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url, { maxPayload: 1000 });
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket, { maxMessageBytes: 1000 });
  (await accepted).send(JSON.stringify(message('x'.repeat(1000))));
  const end = await transport.ended;
  expect(end.error).toBeInstanceOf(MessageTooLargeError);
  expect(end.error).toMatchObject({ limitBytes: 1000 });
});

test('a frame that breaks the protocol ends the channel, also if the server keeps the connection', async () => {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.once('data', (request) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(String(request))?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
      socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accept}`].join('\r\n')}\r\n\r\n`);
      // A text frame with a reserved bit that nobody has agreed on.
      socket.write(Buffer.from([0xf1, 0x02, 0x7b, 0x7d]));
    });
  });
  server.listen(0, '127.0.0.1');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  closers.push(() => vi.useRealTimers());
  const { socket, transport } = open(`ws://127.0.0.1:${portOf(server.address())}`);
  await once(socket, 'error');
  // The timer of the package ws has 30 seconds.
  await vi.advanceTimersByTimeAsync(maxClosingMs);
  const { error } = await transport.ended;
  expect(error).toBeInstanceOf(ConnectionClosedError);
  expect(error?.message).toMatch(/RSV/);
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});

test.each([
  ['a URL', 'ws://127.0.0.1:1', 'a string'],
  ['a URL object', new URL('ws://127.0.0.1:1'), 'an object'],
  ['nothing', undefined, 'undefined'],
  ['an object that cannot send', { readyState: 1, addEventListener() {}, close() {} }, 'an object'],
])('%s instead of a socket is refused, with what to call instead', (_, value, kind) => {
  const call = () => webSocketTransport(value as never);
  expect(call).toThrow(InvalidParamsError);
  expect(call).toThrow(`must be a WebSocket; got ${kind}. Nothing was opened.`);
  expect(call).toThrow('remoteTransport(url)');
});

test('closing while the socket connects is an orderly end, and drops unsent messages', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  silent.on('connection', (socket) => sockets.push(socket));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const transport = webSocketTransport(new WebSocket(`ws://127.0.0.1:${portOf(silent.address())}`));
  const write = transport.send(message('never sent'));
  await transport.close();
  expect(await transport.ended).toEqual({});
  await write;
});

test('the end does not wait for ever for the other side to answer the close', async () => {
  const { url, accepted } = await listen();
  const { socket, transport } = open(url);
  const [server] = await Promise.all([accepted, once(socket, 'open')]);
  server.pause();
  await transport.close();
  expect(await transport.ended).toEqual({});
  expect(socket.readyState).not.toBe(WebSocket.OPEN);
});

test('while nothing reads, the socket is paused, and no message is lost', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket);
  const server = await accepted;
  const text = 'x'.repeat(64 * 1024);
  for (let count = 0; count < 32; count++) server.send(JSON.stringify(message(`${count} ${text}`)));
  await eventually(() => socket.isPaused).toBe(true);
  const received: string[] = [];
  transport.listen({
    onMessage: (read) => {
      received.push((read as ReturnType<typeof message>).params.text.split(' ')[0] ?? '');
    },
    onDiagnostic() {},
    onActivity() {},
  });
  server.close();
  await transport.ended;
  expect(received).toEqual(Array.from({ length: 32 }, (_, count) => String(count)));
});

test('a paused socket can be closed', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  closers.push(() => socket.terminate());
  const transport = webSocketTransport(socket);
  const server = await accepted;
  server.send(JSON.stringify(message('x'.repeat(1024 * 1024))));
  await eventually(() => socket.isPaused).toBe(true);
  const goodbye = once(server, 'close');
  const closed = transport.close();
  // A socket that stayed paused would not read the answer, and would be terminated after two seconds.
  expect(socket.isPaused).toBe(false);
  await closed;
  expect((await goodbye)[0]).toBe(1000);
});

test('a message counts as sent when the other side has taken it', async () => {
  const { url, accepted } = await listen();
  const { socket, transport } = open(url);
  const [server] = await Promise.all([accepted, once(socket, 'open')]);
  server.pause();
  let taken = 0;
  const count = 32;
  const sends = Array.from({ length: count }, () =>
    transport.send(message('x'.repeat(1024 * 1024))).then(() => taken++),
  );
  await eventually(() => taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(count);
  expect(transport.queuedBytes).toBeGreaterThan(1024 * 1024);
  server.resume();
  await Promise.all(sends);
  expect(transport.queuedBytes).toBe(0);
});

test('a message that was not taken does not stay pending when the socket closes', async () => {
  const { url, accepted } = await listen();
  const { socket, transport } = open(url);
  const [server] = await Promise.all([accepted, once(socket, 'open')]);
  server.pause();
  const sends = Array.from({ length: 32 }, () => transport.send(message('x'.repeat(1024 * 1024))));
  server.terminate();
  await Promise.all(sends);
  expect((await transport.ended).error).toBeInstanceOf(ConnectionClosedError);
});

test('answers that the agent does not read end the connection', async () => {
  const { url, accepted } = await listen((socket, text) => {
    const { id, method } = JSON.parse(text);
    if (method !== 'initialize') return;
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1, agentCapabilities: {} } }),
    );
  });
  const content = 'x'.repeat(1024 * 1024);
  const connection = await connect(webSocketTransport(new WebSocket(url)), {
    clientInfo: { name: 'test', version: '0' },
    handlers: { extensions: { _read: async () => ({ content }) } },
  });
  const server = await accepted;
  server.pause();
  for (let id = 0; id < 200; id++) {
    server.send(JSON.stringify({ jsonrpc: '2.0', id, method: '_read', params: {} }));
  }
  const { error } = await connection.closed;
  expect(error?.message).toContain('does not read the answers');
});

test('a message that JSON cannot express is not written, and the channel goes on', async () => {
  const frames: string[] = [];
  const { url } = await listen((socket, text) => {
    frames.push(text);
    socket.close();
  });
  const { transport } = open(url);
  await expect(transport.send({ jsonrpc: '2.0', params: { big: 1n } })).rejects.toThrow(TypeError);
  await transport.send(message('fine'));
  await transport.ended;
  expect(frames).toEqual([JSON.stringify(message('fine'))]);
});
