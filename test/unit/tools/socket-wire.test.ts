import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadMcp } from '../../../src/tools/packages.ts';
import { maxUnreadBytes, SocketWire } from '../../../src/tools/socket-wire.ts';
import { maxUnreadResultBytes } from '../../../src/tools/unread-results.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A wire, and the socket of a program at its other end that reads nothing yet. */
async function open() {
  const path = join(temporaryFolder(), 's');
  const server = createServer();
  server.listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const accepting: Promise<Socket[]> = once(server, 'connection');
  const program = connect(path);
  program.pause();
  const [socket] = await accepting;
  if (!socket) throw new Error('The server accepted nothing.');
  onTestFinished(() => {
    program.destroy();
    socket.destroy();
  });
  const refusals: string[] = [];
  const received: unknown[] = [];
  const wire = new SocketWire(socket, await loadMcp(), (why) => refusals.push(why));
  wire.onmessage = (message) => received.push(Reflect.get(message, 'id'));
  await wire.start();
  /** Writes a message, and waits until its bytes are at the other end. */
  const write = async (message: object) => {
    program.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    await eventually(() => socket.bytesRead).toBe(program.bytesWritten);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const ask = (id: number | string) => write({ id, method: 'ping' });
  /** Reads all answers, in the order of the wire. */
  const read = async (count: number): Promise<unknown[]> => {
    let text = '';
    program.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    program.resume();
    await eventually(() => text.split('\n').length - 1).toBe(count);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { wire, refusals, received, write, ask, read };
}

/** An answer whose line has so many bytes. */
function answerOf(id: number, bytes: number) {
  const empty = { jsonrpc: '2.0' as const, id, result: { text: '' } };
  const text = 'x'.repeat(bytes - JSON.stringify(empty).length - 1);
  return { ...empty, result: { text } };
}

test.each([7, 'seven'])('the request %j is open until the program cancels it', async (id) => {
  const { refusals, received, write, ask } = await open();
  const says = (method: string, requestId: unknown) => write({ method, params: { requestId } });
  await ask(id);
  await says('notifications/cancelled', 'another');
  await says('notifications/other', id);
  await write({ method: 'notifications/cancelled' });
  await ask(id);
  expect(refusals).toEqual(['Too many requests are open, or one with this id.']);
  await says('notifications/cancelled', id);
  await ask(id);
  expect(refusals).toHaveLength(1);
  expect(received.filter((each) => each === id)).toHaveLength(2);
});

// Named pipes of Windows take another amount before they count as full.
test.skipIf(process.platform === 'win32')(
  '[reliability: limit-unread-program] a program that does not read is not read above a limit, and gets no result above another one',
  async () => {
    const { wire, refusals, received, ask, read } = await open();
    const sent = [wire.send(answerOf(1, maxUnreadBytes))];
    await ask(11);
    expect(received).toEqual([11]);
    sent.push(wire.send(answerOf(2, 100)));
    await ask(12);
    expect(received).toEqual([11]);
    sent.push(wire.send(answerOf(3, maxUnreadResultBytes - maxUnreadBytes - 100)));
    // As many bytes as the limit wait, and this is one more result.
    sent.push(wire.send(answerOf(4, 100)));
    expect(refusals).toEqual([]);
    sent.push(wire.send(answerOf(5, 100)));
    expect(refusals).toEqual([expect.stringContaining('More than 32 MiB of answers are not read')]);
    const answers = await read(5);
    await Promise.all(sent);
    expect(answers.map((answer) => Object.keys(Object(answer))[2])).toEqual([
      'result',
      'result',
      'result',
      'result',
      'error',
    ]);
    await eventually(() => received).toEqual([11, 12]);
  },
);

test.skipIf(process.platform === 'win32')(
  '[reliability: limit-tool-requests] a program has 96 open requests, and one more gets an error until one is answered',
  async () => {
    const { wire, refusals, received, ask, read } = await open();
    for (let id = 0; id <= 96; id++) await ask(id);
    expect(received).toEqual(Array.from({ length: 96 }, (_, id) => id));
    expect(refusals).toHaveLength(1);
    await wire.send(answerOf(0, 100));
    await ask(97);
    expect(received.at(-1)).toBe(97);
    expect(refusals).toHaveLength(1);
    const answers = await read(2);
    expect(answers).toMatchObject([
      { id: 96, error: expect.anything() },
      { id: 0, result: expect.anything() },
    ]);
  },
);
