import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, readdir, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadMcp } from '../../../src/tools/packages.ts';
import { maxUnreadBytes, SocketWire } from '../../../src/tools/socket-wire.ts';
import { maxUnreadResultBytes } from '../../../src/tools/unread-results.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { waitingTool } from '../../support/open-tools.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addressOf } from '../../support/tool-client.ts';
import {
  echoCall,
  ended,
  expectRefused,
  expectServed,
  expectUntouched,
  lineFrom,
  openSocket,
  toolTarget,
} from '../../support/tool-target.ts';

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
  return { ...empty, result: { text: 'x'.repeat(bytes - JSON.stringify(empty).length - 1) } };
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

const call = `${JSON.stringify(echoCall())}\n`;

/** What a program sends in the place of the token and a line feed. */
const attacks: Readonly<Record<string, (token: string) => string>> = {
  'a wrong token': () => `${'a'.repeat(43)}\n${call}`,
  'no token': () => call,
  'an empty line': () => `\n${call}`,
  'an empty line, and nothing else': () => '\n',
  'the start of the token': (token) => `${token.slice(0, -1)}\n${call}`,
  'the token and a space': (token) => `${token} \n${call}`,
  'the token behind an empty line': (token) => `\n${token}\n${call}`,
  'the token as HTTP has it': (token) => `Authorization: Bearer ${token}\r\n\r\n${call}`,
  'a line that never ends': () => 'a'.repeat(300),
};

describe.skipIf(process.platform === 'win32')(
  '[security: tools-socket] over the socket of the way stdio',
  () => {
    test('a program without the token in its first line gets nothing, whatever else it sends', async () => {
      const target = await toolTarget('stdio');
      const other = await toolTarget('stdio');
      const all: typeof attacks = {
        ...attacks,
        'the token of another server': () => `${other.token}\n${call}`,
      };
      for (const [what, text] of Object.entries(all)) {
        target.diagnostics.splice(0);
        const socket = await openSocket({ path: addressOf(target.server) });
        socket.write(text(target.token));
        expect(await ended(socket), what).toBe('');
        await expectRefused(target);
      }
      target.diagnostics.splice(0);
      (await openSocket({ path: addressOf(target.server) })).end();
      await expectRefused(target);
      expect(other.ran).toEqual([]);
    });

    test('a line without the token is read up to 256 bytes', async () => {
      const target = await toolTarget('stdio');
      const refusals = () => target.diagnostics.filter(({ rule }) => rule === 'tools.refused');
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.write('a'.repeat(256));
      await settle();
      socket.write('\n');
      expect(await ended(socket)).toBe('');
      await eventually(refusals).toMatchObject([{ message: expect.stringMatching(/Its token is wrong\.$/) }]);
      const longer = await openSocket({ path: addressOf(target.server) });
      longer.write('a'.repeat(257));
      expect(await ended(longer)).toBe('');
      await eventually(refusals).toMatchObject([
        {},
        { message: expect.stringMatching(/It sent no token\.$/) },
      ]);
    });

    test('the token may come in pieces, and with the first message', async () => {
      const target = await toolTarget('stdio');
      const socket = await openSocket({ path: addressOf(target.server) });
      for (const character of target.token) {
        socket.write(character);
        await new Promise(setImmediate);
      }
      socket.write(`\n${call.slice(0, 20)}`);
      await new Promise(setImmediate);
      socket.write(call.slice(20));
      expect(await lineFrom(socket)).toContain('"text":"ran"');
      expect(target.ran).toEqual([{ from: 'an attacker' }]);
    });

    test('only the user can enter the folder of the socket, and it is gone after the session', async () => {
      const target = await toolTarget('stdio');
      const folder = dirname(addressOf(target.server));
      const { mode, uid } = await stat(folder);
      expect(mode & 0o777).toBe(0o700);
      expect(uid).toBe(process.getuid?.());
      expect((await lstat(folder)).isSymbolicLink()).toBe(false);
      // As its own, not only because of the folder.
      expect((await stat(join(folder, 'bridge.cjs'))).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).sort()).toEqual(['bridge.cjs', 'socket']);
      await target.session.close();
      await eventually(() => stat(folder).catch(() => 'gone')).toBe('gone');
    });

    // The tests of a project run as root where another user can be had.
    test.skipIf(process.getuid?.() !== 0)(
      'another user cannot connect, with the token or without',
      async () => {
        const target = await toolTarget('stdio');
        const code = `require('node:net').connect(${JSON.stringify(addressOf(target.server))})
      .on('connect', () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1); });`;
        const program = spawn(process.execPath, ['-e', code], {
          uid: 65_534,
          gid: 65_534,
          cwd: '/',
          stdio: 'pipe',
        });
        let printed = '';
        program.stdout.on('data', (chunk: Buffer) => {
          printed += chunk.toString();
        });
        await once(program, 'close');
        expect(printed).toBe('EACCES\n');
        await expectUntouched(target);
      },
    );

    test('[reliability: limit-tool-programs] a flood of connections without a token does not stop a program with the token', async () => {
      const target = await toolTarget('stdio');
      const path = addressOf(target.server);
      const agent = await openSocket({ path });
      agent.write(`${target.token}\n`);
      await new Promise(setImmediate);
      const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket({ path })));
      await eventually(() => sockets.filter(({ closed }) => closed).length).toBe(40 - 16);
      // The oldest were closed.
      expect(sockets.slice(-16).filter(({ closed }) => closed)).toEqual([]);
      expect(target.diagnostics.filter(({ rule }) => rule === 'tools.refused')[0]?.message).toContain(
        'More than 16 programs sent no token.',
      );
      await expectRefused(target);
      // The agent connected before the flood, and is served as well.
      agent.write(call);
      expect(await lineFrom(agent)).toContain('"text":"ran"');
    });

    test('[reliability: limit-tool-programs] a flood of connections with the token ends at the limit', async () => {
      const target = await toolTarget('stdio');
      const path = addressOf(target.server);
      const first = await openSocket({ path });
      first.write(`${target.token}\n`);
      const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket({ path })));
      for (const socket of sockets) socket.write(`${target.token}\n`);
      await eventually(() => sockets.filter(({ closed }) => closed).length).toBe(40 - 15);
      expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.refused');
      first.write(call);
      expect(await lineFrom(first)).toContain('"text":"ran"');
      for (const socket of sockets) socket.destroy();
      await expectServed(target);
    });

    test('what is not a message is refused, and the next message is read', async () => {
      const target = await toolTarget('stdio');
      const nested = `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`;
      for (const line of ['hello', '"hello"', '{"jsonrpc":"1.0"}', `[${call.trim()}]`, nested]) {
        target.diagnostics.splice(0);
        const socket = await openSocket({ path: addressOf(target.server) });
        socket.write(`${target.token}\n${line}\n${call}`);
        expect(await lineFrom(socket), line.slice(0, 20)).toContain('"text":"ran"');
        expect(target.diagnostics.map(({ rule }) => rule)).toContain('tools.refused');
      }
      expect(target.ran).toHaveLength(5);
    });

    test('[reliability: limit-tool-messages] a line over the limit ends the connection', async () => {
      const target = await toolTarget('stdio');
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.write(`${target.token}\n${'a'.repeat(4 * 1024 * 1024 + 1)}`);
      expect(await ended(socket)).toBe('');
      await expectRefused(target);
    });

    test('[reliability: limit-tool-requests] a flood of calls is answered, and at most 64 run', async () => {
      const { tool: wait, release, mostRunning } = waitingTool();
      const target = await toolTarget('stdio', { wait });
      const socket = await openSocket({ path: addressOf(target.server) });
      socket.setEncoding('utf8');
      let answers = 0;
      socket.on('data', (text: string) => {
        answers += text.split('\n').length - 1;
      });
      const calls = Array.from({ length: 500 }, (_, id) =>
        JSON.stringify(echoCall(id)).replace('"name":"echo"', '"name":"wait"'),
      );
      socket.write(`${target.token}\n${calls.join('\n')}\n`);
      await eventually(() => answers).toBe(500 - 64);
      release();
      await eventually(() => answers).toBe(500);
      expect(mostRunning()).toBe(64);
      socket.destroy();
      await expectServed(target);
    });
  },
);
