import { expect, test } from 'vitest';
import { messagePortChannel, webSocketChannel } from '../../../src/ui/panel/channel.ts';

/** What the channel of a socket uses of it. */
class Socket extends EventTarget {
  readyState = 0;
  readonly sent: string[] = [];
  send(text: string): void {
    if (this.readyState !== 1) throw new Error('The socket is not open.');
    this.sent.push(text);
  }
}

/** What the channel of a port uses of a worker, which has no `start`. */
class Worker extends EventTarget {
  readonly sent: unknown[] = [];
  postMessage(message: unknown): void {
    this.sent.push(message);
  }
}

function socketAt(readyState: number) {
  const socket = new Socket();
  socket.readyState = readyState;
  // Each event of it has what the channel reads.
  return { socket, channel: webSocketChannel(socket as never) };
}

const isEnded = (ended: Promise<unknown> | undefined) =>
  Promise.race([ended?.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);

test('what is posted to a socket is sent when it opens, in its order, and not after its end', async () => {
  const { socket, channel } = socketAt(0);
  channel.post({ number: 1 });
  channel.post({ number: 2 });
  socket.readyState = 1;
  socket.dispatchEvent(new Event('open'));
  channel.post({ number: 3 });
  expect(socket.sent).toEqual(['{"number":1}', '{"number":2}', '{"number":3}']);
  socket.readyState = 2;
  channel.post({ number: 4 });
  expect(socket.sent).toHaveLength(3);
  expect(await isEnded(channel.ended)).toBe(false);
  socket.dispatchEvent(new Event('close'));
  expect(await isEnded(channel.ended)).toBe(true);
});

test('the channel of a socket that is closed has ended', async () => {
  const ended = [0, 1, 2, 3].map((readyState) => isEnded(socketAt(readyState).channel.ended));
  expect(await Promise.all(ended)).toEqual([false, false, false, true]);
});

test.each([
  [
    'a socket',
    () => {
      const { socket, channel } = socketAt(1);
      return [socket, channel] as const;
    },
  ],
  [
    'a worker',
    () => {
      const worker = new Worker();
      return [worker, messagePortChannel(worker)] as const;
    },
  ],
])('a channel of %s delivers what arrives, until its listener is removed', (_, make) => {
  const [source, channel] = make();
  const arrived: unknown[] = [];
  const stop = channel.listen((message) => arrived.push(message));
  const arrive = (data: string) => source.dispatchEvent(new MessageEvent('message', { data }));
  arrive('one');
  stop();
  arrive('two');
  expect(arrived).toEqual(['one']);
  channel.post('three');
  expect(source.sent).toHaveLength(1);
});
