import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
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
    // Polling is slow for many messages. The time limit of the test ends the wait.
    while (socket.bytesRead !== program.bytesWritten) await turn();
    await turn();
  };
  const ask = (id: number | string) => write({ id, method: 'ping' });
  /** Reads all answers, in the order of the wire. */
  const read = async (count: number): Promise<unknown[]> => {
    let text = '';
    let lines = 0;
    program.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      lines += part.split('\n').length - 1;
    });
    program.resume();
    while (lines < count) await turn();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { wire, program, refusals, received, write, ask, read };
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

test('what is no message of MCP is answered if its sender waits for an answer', async () => {
  const { refusals, received, write, ask, read } = await open();
  const jsonrpc = '1.0';
  await write({ jsonrpc, id: 1, result: {} });
  await write({ jsonrpc, method: 'x' });
  await write({ jsonrpc, id: null, method: 'x' });
  await write({ jsonrpc, id: 2, method: 'x' });
  await write({ jsonrpc, id: 'three', method: 'x' });
  expect(refusals).toEqual(Array.from({ length: 5 }, () => 'This is not a message of MCP.'));
  const error = { code: -32_600, message: 'This is not a message of MCP.' };
  expect(await read(2)).toEqual([
    { jsonrpc: '2.0', id: 2, error },
    { jsonrpc: '2.0', id: 'three', error },
  ]);
  // An answer of the program opens no request with its id.
  await write({ id: 4, result: {} });
  await ask(4);
  expect(received).toEqual([4, 4]);
  expect(refusals).toHaveLength(5);
});

test('what waits until an answer is taken ends with the answer, the cancel or the program', async () => {
  const { wire, program, refusals, ask, write } = await open();
  const taken: number[] = [];
  const wait = (id: number) =>
    // Only the id is read.
    wire.onTaken({ mcpReq: { id } } as Parameters<typeof wire.onTaken>[0], () => taken.push(id));
  for (const id of [1, 2, 3, 4]) {
    await ask(id);
    wait(id);
  }
  expect(taken).toEqual([]);
  wait(5);
  expect(taken).toEqual([5]);
  await wire.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  // The ids of the server's requests are its own.
  await wire.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
  expect(taken).toEqual([5]);
  await wire.send(answerOf(2, 100));
  expect(taken).toEqual([5, 2]);
  await write({ method: 'notifications/cancelled', params: { requestId: 1 } });
  expect(taken).toEqual([5, 2, 1]);
  const closed = new Promise<void>((resolve) => {
    wire.onclose = resolve;
  });
  program.resume().end();
  await closed;
  expect(taken).toEqual([5, 2, 1, 3, 4]);
  expect(refusals).toEqual([]);
});

test('a wire that is closed ends the connection of the program', async () => {
  const { wire, program } = await open();
  const end = once(program.resume(), 'end');
  await wire.close();
  await end;
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
    const message = expect.stringContaining('are not read');
    expect(answers[4]).toEqual({ jsonrpc: '2.0', id: 5, error: { code: -32_000, message } });
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
      { jsonrpc: '2.0', id: 96, error: { code: -32_000, message: expect.stringContaining('Too many') } },
      { id: 0, result: expect.anything() },
    ]);
  },
);
