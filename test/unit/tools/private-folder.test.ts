import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { folderPlaces, privateFolder, removeFolder } from '../../../src/tools/private-folder.ts';
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
