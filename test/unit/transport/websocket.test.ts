import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { MessageTooLargeError } from '../../../src/core/base/errors.ts';
import { WebSocketTransport } from '../../../src/core/transport/websocket.ts';
import { ConnectionClosedError, connect } from '../../../src/entries/index.ts';
import { eventually } from '../../support/eventually.ts';
import { listened } from '../../support/listened.ts';
import { type SocketMessage, socketServer } from '../../support/web-socket-server.ts';

// websocket-states.test.ts has states that a socket of `ws` has for a moment only.

/** Opens a socket, which ends with the test. */
async function openSocket(url: string, options?: ClientOptions): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

async function open(url: string, options?: ConstructorParameters<typeof WebSocketTransport>[1]) {
  const transport = new WebSocketTransport(await openSocket(url), options);
  return { transport, ...listened(transport) };
}

const message = (text: string) => ({ jsonrpc: '2.0', method: 'session/update', params: { text } });

/** An agent that answers `initialize`, and other calls with `answer`. */
const agent =
  (answer: (socket: WebSocket, id: SocketMessage['id']) => void) =>
  ({ id, method }: SocketMessage, socket: WebSocket) => {
    if (method !== 'initialize') return answer(socket, id);
    const result = { protocolVersion: 1, agentCapabilities: {} };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
const clientInfo = { name: 'test', version: '0' };

test('a connection works over a socket, and closes it in an orderly way', async () => {
  const { url, accepted } = await socketServer(
    agent((socket, id) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { sessionId: 's1' } }))),
  );
  const connection = await connect(new WebSocketTransport(await openSocket(url)), { clientInfo });
  expect((await connection.newSession({ cwd: '/project' })).sessionId).toBe('s1');
  const goodbye = once(await accepted, 'close');
  await connection.close();
  expect((await goodbye)[0]).toBe(1000);
  expect(await connection.closed).toEqual({});
});

test('messages are written in order, one per text frame; one that JSON cannot express is not', async () => {
  const frames: string[] = [];
  const { url } = await socketServer((_message, socket, text) => {
    if (frames.push(text) === 3) socket.close();
  });
  const { transport } = await open(url);
  const writes = ['one', 'two'].map((text) => transport.send(message(text)));
  await expect(transport.send({ jsonrpc: '2.0', params: { big: 1n } })).rejects.toThrow(TypeError);
  await Promise.all(writes);
  await transport.send(message('three\n'));
  await transport.ended;
  expect(frames).toEqual(['one', 'two', 'three\n'].map((text) => JSON.stringify(message(text))));
});

test('a frame with a message in each line is read line by line, and one message on several lines is one', async () => {
  const { url, accepted } = await socketServer();
  const { transport, received, diagnostics } = await open(url);
  const server = await accepted;
  const lines = ['one', 'two'].map((text) => JSON.stringify(message(text)));
  server.send(`${lines.join('\r\n')}\n\nStarting\n${JSON.stringify(message('three'))}`);
  server.send(Buffer.from(JSON.stringify(message('four 🐑'), null, 2)), { binary: true });
  server.close();
  await transport.ended;
  expect(received).toEqual(['one', 'two', 'three', 'four 🐑'].map(message));
  expect(diagnostics).toMatchObject([{ rule: 'transport.noise', received: 'Starting' }]);
});

test('a close by the other side ends the channel with its code and reason, after the messages before it', async () => {
  const { url, accepted } = await socketServer();
  const { transport, received } = await open(url);
  const server = await accepted;
  server.send(JSON.stringify(message('last words')));
  server.close(4001, 'the session has expired');
  const { error } = await transport.ended;
  expect(error).toBeInstanceOf(ConnectionClosedError);
  expect(error).toMatchObject({
    socketClose: { closeCode: 4001, reason: 'the session has expired' },
    message: expect.stringContaining('4001: the session has expired'),
  });
  expect(received).toEqual([message('last words')]);
});

test('a socket that is closed makes connect reject with the reason', async () => {
  const { url } = await socketServer();
  const socket = await openSocket(url);
  socket.close();
  await once(socket, 'close');
  await expect(connect(new WebSocketTransport(socket), { clientInfo })).rejects.toThrow(
    'closed before it was used',
  );
});

test('[reliability: limit-remote-message] a message over the limit ends the channel; one at the limit does not', async () => {
  const exact = JSON.stringify(message('é'.repeat(100)));
  const limitBytes = Buffer.byteLength(exact);
  const { url, accepted } = await socketServer();
  const { transport, received } = await open(url, { maxMessageBytes: limitBytes });
  const server = await accepted;
  const goodbye = once(server, 'close');
  server.send(exact);
  // As many characters, one byte more.
  server.send(JSON.stringify(message(`${'é'.repeat(99)}√`)));
  server.send(JSON.stringify(message('never read')));
  const { error } = await transport.ended;
  expect(error).toBeInstanceOf(MessageTooLargeError);
  const advice = expect.stringContaining(
    `a message longer than ${limitBytes} bytes: reading stopped. Raise maxMessageBytes`,
  );
  expect(error).toMatchObject({ limitBytes, message: advice });
  expect(received).toEqual([JSON.parse(exact)]);
  expect((await goodbye).map(String)).toEqual(['4009', 'message too large']);
});

test('[reliability: limit-remote-message] a message over the limit of the socket ends the channel with the same error', async () => {
  const { url, accepted } = await socketServer();
  const socket = await openSocket(url, { maxPayload: 1000 });
  const transport = new WebSocketTransport(socket, { maxMessageBytes: 1000 });
  (await accepted).send(JSON.stringify(message('x'.repeat(1000))));
  const { error } = await transport.ended;
  expect(error).toBeInstanceOf(MessageTooLargeError);
  expect(error).toMatchObject({ limitBytes: 1000, cause: { code: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' } });
});

test('while nothing reads, the socket is paused; it can be closed, or read on without a loss', async () => {
  for (const next of ['closes', 'reads']) {
    const { url, accepted } = await socketServer();
    const socket = await openSocket(url);
    const transport = new WebSocketTransport(socket);
    const server = await accepted;
    const texts = Array.from({ length: 8 }, (_, count) => `${count}`.padEnd(64 * 1024, 'x'));
    for (const text of texts) server.send(JSON.stringify(message(text)));
    await eventually(() => socket.isPaused).toBe(true);
    const goodbye = once(server, 'close');
    if (next === 'closes') {
      const closed = transport.close();
      // A socket that stayed paused would not read the answer, and would be terminated after two seconds.
      expect(socket.isPaused).toBe(false);
      await closed;
    } else {
      const { received } = listened(transport);
      server.close(1000);
      await transport.ended;
      expect(received).toEqual(texts.map(message));
    }
    expect((await goodbye)[0]).toBe(1000);
  }
});
