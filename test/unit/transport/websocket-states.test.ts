import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { maxClosingMs } from '../../../src/core/transport/transport.ts';
import { faultOf, type WebSocketLike, WebSocketTransport } from '../../../src/core/transport/websocket.ts';
import { listened } from '../../support/listened.ts';
import { stopClock } from '../../support/timed-acp-server.ts';

// websocket.test.ts has the sockets of `ws`. These tests need states that such a socket has for a moment only.

type Listener = (event: never) => void;

/** A socket that does what the test says, and the calls that it gets. */
class ScriptedSocket implements WebSocketLike {
  readyState: number;
  binaryType = 'blob';
  bufferedAmount: number | undefined;
  readonly calls: unknown[] = [];
  readonly #listeners = new Map<string, Listener>();

  constructor(readyState = 1) {
    this.readyState = readyState;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  emit(type: string, event: object = {}): void {
    this.#listeners.get(type)?.(event as never);
  }

  say(data: unknown): void {
    this.emit('message', { data });
  }

  send(data: string): void {
    this.calls.push(data);
  }

  close(...args: unknown[]): void {
    this.calls.push(['close', ...args]);
  }
}

/** A socket that can also be paused and destroyed, as those of `ws`. */
class PausableSocket extends ScriptedSocket {
  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }

  terminate(): void {
    this.calls.push('terminate');
  }
}

function open(socket: ScriptedSocket, maxMessageBytes?: number) {
  const transport = new WebSocketTransport(socket, { maxMessageBytes });
  return { transport, ...listened(transport) };
}

const frame = '{"a":1}';

test.each([2, 3])('nothing is sent or closed in the state %i', async (state) => {
  const socket = new ScriptedSocket(state);
  const { transport } = open(socket);
  await transport.send({ a: 1 });
  socket.emit('close', { code: 1000, reason: '' });
  await transport.close();
  expect(socket.calls).toEqual([]);
});

test('what was sent is taken when the socket has put it on the network, in order', async () => {
  stopClock();
  const socket = new ScriptedSocket();
  const { transport } = open(socket);
  // A socket that does not tell how much waits, or has written it, has taken it.
  await transport.send({ a: 1 });
  socket.bufferedAmount = 0;
  await transport.send({ a: 1 });
  expect(transport.queuedBytes).toBe(0);
  const taken: number[] = [];
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  for (let round = 0; round < 2; round++) {
    taken.length = 0;
    for (const index of [0, 1, 2]) {
      socket.bufferedAmount = (index + 1) * frame.length;
      void transport.send({ a: 1 }).then(() => taken.push(index));
    }
    expect([transport.queuedBytes, vi.getTimerCount()]).toEqual([3 * frame.length, 1]);
    socket.bufferedAmount = 2 * frame.length + 1;
    await pass(20);
    expect(taken).toEqual([]);
    socket.bufferedAmount = 2 * frame.length;
    await pass(19);
    expect(taken).toEqual([]);
    await pass(1);
    expect(taken).toEqual([0]);
    socket.bufferedAmount = 0;
    await pass(20);
    expect(taken).toEqual([0, 1, 2]);
    expect(vi.getTimerCount()).toBe(0);
  }
  socket.bufferedAmount = 1;
  const sent = transport.send({ a: 1 });
  socket.emit('close', { code: 1000, reason: '' });
  await sent;
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['that can be destroyed', PausableSocket, ['terminate']],
  ['of a browser', ScriptedSocket, []],
])('a socket %s is closed once, and has two seconds for it', async (_, Socket, calls) => {
  stopClock();
  const socket = new Socket();
  const { transport } = open(socket);
  let ended = false;
  void transport.ended.then(() => {
    ended = true;
  });
  void transport.close();
  const closed = transport.close();
  expect(socket.calls).toEqual([['close', 1000, undefined]]);
  await vi.advanceTimersByTimeAsync(maxClosingMs - 1);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closed;
  expect(await transport.ended).toEqual({});
  expect(socket.calls.slice(1)).toEqual(calls);
});

test('a socket that fails, and says nothing more, has closed after two seconds', async () => {
  stopClock();
  const socket = new PausableSocket();
  const { transport } = open(socket);
  expect(transport.isRemote).toBe(true);
  socket.emit('error');
  await vi.advanceTimersByTimeAsync(maxClosingMs);
  expect(socket.calls).toEqual(['terminate']);
  expect((await transport.ended).error).toMatchObject({ socketClose: { closeCode: 1006, reason: '' } });
});

test('the error of an event is read where there is one', () => {
  const events = [undefined, null, 'text', 7, {}, { error: 'broken' }];
  expect(events.map(faultOf)).toEqual([...Array(5).fill(undefined), 'broken']);
});

test('a frame that cannot be read before something listens is dropped', () => {
  const socket = new ScriptedSocket();
  new WebSocketTransport(socket);
  socket.say(undefined);
  socket.say(frame);
  expect(socket.calls).toEqual([]);
});

test('a socket that closes in time is not destroyed', async () => {
  stopClock();
  const socket = new PausableSocket();
  const { transport } = open(socket);
  const closed = transport.close();
  socket.emit('close', { code: 1000, reason: '' });
  await closed;
  await vi.advanceTimersByTimeAsync(maxClosingMs);
  expect(socket.calls).toEqual([['close', 1000, undefined]]);
});

test.each<[string, readonly unknown[], string, string]>([
  ['after it was open', [], '', ').'],
  ['with a reason', [], 'bye', ': bye).'],
  ['after errors', [new Error('first'), new Error('second')], '', '). first.'],
  ['after an error without a text', [new Error('')], '', ').'],
  ['after an error that is none', ['text'], '', ').'],
  ['after an error of a browser', [undefined], '', ').'],
])('why a socket closed: %s', async (_, errors, reason, said) => {
  const socket = new ScriptedSocket();
  const { transport } = open(socket);
  for (const error of errors) socket.emit('error', { error });
  socket.emit('close', { code: 4001, reason });
  socket.emit('close', { code: 4002, reason });
  expect((await transport.ended).error).toMatchObject({
    message: `The WebSocket was closed (close code 4001${said}`,
    socketClose: { closeCode: 4001, reason },
  });
});

test('a frame is text or bytes of any kind, and another one is reported', () => {
  const socket = new ScriptedSocket();
  const { received, diagnostics } = open(socket);
  expect(socket.binaryType).toBe('arraybuffer');
  const bytes = new TextEncoder().encode(frame);
  const foreign: ArrayBuffer = runInNewContext('new ArrayBuffer(7)');
  new Uint8Array(foreign).set(bytes);
  for (const data of [frame, bytes, bytes.buffer, foreign]) socket.say(data);
  expect(received).toEqual(Array(4).fill({ a: 1 }));
  expect(diagnostics).toEqual([]);
  for (const data of [new Blob([frame]), undefined, null, 'noise', '']) socket.say(data);
  const unreadable = expect.stringContaining('neither text nor an ArrayBuffer');
  expect(diagnostics).toMatchObject([
    { rule: 'transport.noise', severity: 'warning', message: unreadable },
    { message: unreadable },
    { message: unreadable },
    { message: 'The agent sent a WebSocket frame that is not a JSON message.', received: 'noise' },
  ]);
  expect(received).toHaveLength(4);
});

test('a socket is paused once above 256 KiB of text that waits, and resumed once below', () => {
  for (const socket of [new PausableSocket(), new ScriptedSocket()]) {
    const { transport, received } = open(socket);
    transport.pause?.();
    socket.say(' '.repeat(256 * 1024 - frame.length));
    socket.say(frame);
    expect(socket.calls).toEqual([]);
    for (let count = 0; count < 2; count++) socket.say(frame);
    const isPausable = 'pause' in socket;
    expect(socket.calls).toEqual(isPausable ? ['pause'] : []);
    transport.resume?.();
    expect(received).toHaveLength(3);
    expect(socket.calls).toEqual(isPausable ? ['pause', 'resume'] : []);
    transport.pause?.();
    socket.say(frame);
    expect(socket.calls).toHaveLength(isPausable ? 2 : 0);
  }
});
