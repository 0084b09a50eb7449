import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadMcp } from '../../../src/tools/packages.ts';
import { folderPlaces, privateFolder, removeFolder } from '../../../src/tools/private-folder.ts';
import { maxUnreadBytes, SocketWire } from '../../../src/tools/socket-wire.ts';
import { maxUnreadResultBytes } from '../../../src/tools/unread-results.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addressOf, expectUntouched, toolTarget } from '../../support/tool-target.ts';

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

const filled = async () => {};

// The places where no folder can be made are those of Linux.
describe.skipIf(process.platform !== 'linux')('a private folder', () => {
  test('is in the first place that is possible', async () => {
    const place = temporaryFolder();
    const long = join(place, 'a'.repeat(90));
    // No user can make a folder in /proc.
    const folder = await privateFolder(filled, [long, '/proc', place]);
    expect(dirname(folder.path)).toBe(place);
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
    await removeFolder(folder.path);
    await removeFolder(folder.path);
    expect(await readdir(place)).toEqual([]);
  });

  test('is not left behind where it cannot be filled, such as on a full disk', async () => {
    const full = temporaryFolder();
    const place = temporaryFolder();
    const folder = await privateFolder(
      async ({ path }) => {
        await writeFile(join(path, 'a'), '');
        // The error that Linux has for each file on a full disk.
        if (dirname(path) === full) await writeFile('/dev/full', 'a');
      },
      [full, place],
    );
    onTestFinished(() => removeFolder(folder.path));
    expect(dirname(folder.path)).toBe(place);
    expect(await readdir(full)).toEqual([]);
  });

  test('that is possible nowhere is an error that names the reasons and what to do', async () => {
    const long = `/${'a'.repeat(90)}`;
    await expect(privateFolder(filled, [long, '/proc'])).rejects.toThrow(
      /more than 103 bytes\. \/proc: ENOENT.*Nothing was sent\. Set TMPDIR/,
    );
  });

  test('is in the temporary folder, that of the user session, or /tmp', () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TMPDIR', '/my/temporary');
    vi.stubEnv('XDG_RUNTIME_DIR', '/run/user/1000');
    expect(folderPlaces()).toEqual(['/my/temporary', '/run/user/1000', '/tmp']);
    vi.stubEnv('XDG_RUNTIME_DIR', 'relative');
    expect(folderPlaces()).toEqual(['/my/temporary', '/tmp']);
  });

  test('is elsewhere where the path of TMPDIR is too long', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('TMPDIR', `/tmp/${'long/'.repeat(30)}`);
    vi.stubEnv('XDG_RUNTIME_DIR', '');
    const target = await toolTarget('stdio');
    expect(addressOf(target.server)).toMatch(/^\/tmp\/acp-tools-[^/]+\/socket$/);
    await expectUntouched(target);
  });

  test('that a program has swept away ends neither the session nor its connections', async () => {
    const target = await toolTarget('stdio');
    await removeFolder(dirname(addressOf(target.server)));
    await target.session.close();
    expect(target.diagnostics.map(({ rule }) => rule)).toEqual(['tools.transport']);
  });
});
