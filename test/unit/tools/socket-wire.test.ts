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
  /** Writes a request, and waits until its bytes are at the other end. */
  const ask = async (id: number) => {
    program.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    await eventually(() => socket.bytesRead).toBe(program.bytesWritten);
    await new Promise((resolve) => setImmediate(resolve));
  };
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
  return { wire, refusals, received, ask, read };
}

/** An answer whose line has so many bytes. */
function answerOf(id: number, bytes: number) {
  const empty = { jsonrpc: '2.0' as const, id, result: { text: '' } };
  const text = 'x'.repeat(bytes - JSON.stringify(empty).length - 1);
  return { ...empty, result: { text } };
}

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
