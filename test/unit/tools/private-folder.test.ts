import { once } from 'node:events';
import { chown, mkdir, readdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  folderPlaces,
  privateFolder,
  removeAbandonedFolders,
  removeFolder,
} from '../../../src/tools/private-folder.ts';
import { eventually } from '../../support/eventually.ts';
import { spawn } from '../../support/spawn.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { addressOf } from '../../support/tool-client.ts';
import { expectUntouched, toolTarget } from '../../support/tool-target.ts';

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

  test('can have a socket with a path of 103 bytes', async () => {
    const base = temporaryFolder();
    // Behind the place is the name of a folder, with six characters at its end, and that of the socket.
    const bytes = 103 - '/acp-tools-XXXXXX/socket'.length;
    const place = join(base, 'a'.repeat(bytes - base.length - 1));
    const longer = `${place}a`;
    for (const path of [place, longer]) await mkdir(path);
    const folder = await privateFolder(filled, [longer, place]);
    onTestFinished(() => removeFolder(folder.path));
    expect(dirname(folder.path)).toBe(place);
    expect(folder.socketPath).toHaveLength(103);
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
      /could not be made\. \/a+: .* more than 103 bytes\. \/proc: ENOENT.*Nothing was sent\. Set TMPDIR/,
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

  test('is removed at the end of this process, as long as there is one', async () => {
    const listening = () => process.listeners('exit').filter(({ name }) => name === 'removeAll').length;
    const before = listening();
    const place = temporaryFolder();
    const first = await privateFolder(filled, [place]);
    expect(listening()).toBe(1);
    const second = await privateFolder(filled, [place]);
    expect(listening()).toBe(1);
    await removeFolder(first.path);
    expect(listening()).toBe(1);
    await removeFolder(second.path);
    expect(listening()).toBeLessThanOrEqual(before);
  });
});

const minuteMs = 60_000;
const killed = 'acp-tools-killed';

/** A folder with the socket of a program that was killed: no program listens to it. */
async function leftBehind(folder: string, ageMs = minuteMs): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'bridge.cjs'), '');
  const path = join(temporaryFolder(), 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  // The server removes its socket where it made it.
  await rename(path, join(folder, 'socket'));
  server.close();
  await once(server, 'close');
  return aged(folder, ageMs);
}

/** Sets the time of the last change, on the clock of the test. */
async function aged(folder: string, ageMs = minuteMs): Promise<string> {
  const changed = new Date(Date.now() - ageMs);
  await utimes(folder, changed, changed);
  return folder;
}

describe.skipIf(process.platform !== 'linux')('[security: tools-leftovers] what a killed editor left', () => {
  beforeEach(() => {
    // Times of files are whole milliseconds then.
    vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
    return () => void vi.useRealTimers();
  });

  test('is removed when it is a minute old, with the files in it', async () => {
    const place = temporaryFolder();
    await leftBehind(join(place, killed));
    await leftBehind(join(place, 'acp-tools-young'), minuteMs - 1);
    await removeAbandonedFolders(place);
    expect(await readdir(place)).toEqual(['acp-tools-young']);
  });

  test('is removed when the next folder is made in that place', async () => {
    const place = temporaryFolder();
    await leftBehind(join(place, killed));
    const next = await privateFolder(filled, [place]);
    onTestFinished(() => removeFolder(next.path));
    await eventually(() => readdir(place)).toEqual([basename(next.path)]);
  });

  test('stays where something else has its name, or another part is not as an editor leaves it', async () => {
    const place = temporaryFolder();
    const elsewhere = await leftBehind(join(temporaryFolder(), killed));
    await leftBehind(join(place, 'other-tools'));
    await symlink(elsewhere, join(place, 'acp-tools-linked'));
    await writeFile(join(place, 'acp-tools-file'), '');
    await aged(join(place, 'acp-tools-file'));
    for (const name of ['acp-tools-empty', 'acp-tools-text']) await mkdir(join(place, name));
    await writeFile(join(place, 'acp-tools-text', 'socket'), '');
    for (const name of ['acp-tools-empty', 'acp-tools-text']) await aged(join(place, name));
    const names = (await readdir(place)).sort();
    expect(names).toHaveLength(5);
    await removeAbandonedFolders(place);
    expect((await readdir(place)).sort()).toEqual(names);
    expect(await readdir(elsewhere)).toHaveLength(2);
  });

  // The tests of a project run as root where another user can be had.
  test.skipIf(process.getuid?.() !== 0)('stays where it belongs to another user', async () => {
    const place = temporaryFolder();
    await chown(await leftBehind(join(place, killed)), 65_534, 65_534);
    await removeAbandonedFolders(place);
    expect(await readdir(place)).toEqual([killed]);
  });

  test('stays where a program listens, also one that is too busy to accept a connection', async () => {
    const place = temporaryFolder();
    const folder = join(place, 'acp-tools-alive');
    const path = join(folder, 'socket');
    await mkdir(folder);
    const code = `require('node:net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log('listens'));`;
    const program = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void program.kill('SIGKILL'));
    await once(program.stdout, 'data');
    await aged(folder);
    await removeAbandonedFolders(place);
    expect(await readdir(place)).toEqual(['acp-tools-alive']);
    program.kill('SIGSTOP');
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // Until the system keeps no more of them for the program.
    for (let refused = ''; refused === ''; ) {
      const socket = connect(path);
      sockets.push(socket);
      refused = await new Promise((resolve) => {
        socket.once('connect', () => resolve(''));
        socket.once('error', (error) => resolve(String(Reflect.get(error, 'code'))));
      });
    }
    await removeAbandonedFolders(place);
    expect(await readdir(place)).toEqual(['acp-tools-alive']);
  });

  test('is no reason to fail where there is no such place', async () => {
    await expect(removeAbandonedFolders('/proc/nowhere')).resolves.toBeUndefined();
  });
});
