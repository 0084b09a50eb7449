import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, rename, unlink } from 'node:fs/promises';
import { codeOf } from '../../core/base/diagnostic.ts';
import { delay } from '../../core/base/wait.ts';
import { changedPath } from './file-failure.ts';
import { entryAt } from './file-location.ts';
import type { PinnedDirectory } from './pinned-directory.ts';

/**
 * Creates or replaces the file `name` in one step: a reader sees the old text or the new text. Keeps the
 * permissions without setuid and setgid, and the owner if this process has the right to set it. Does not replace a file
 * without write permission.
 */
export async function replaceFile(directory: PinnedDirectory, name: string, content: string): Promise<void> {
  const path = directory.pathOf(name);
  const existing = await entryAt(path);
  if (existing) {
    if (!existing.isFile()) throw changedPath();
    await access(path, constants.W_OK);
  }
  const temporaryName = `.${crypto.randomUUID()}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await directory.openFile(temporaryName, flags, (existing?.mode ?? 0o666) & 0o777);
  try {
    try {
      if (existing) await copyOwnerAndMode(handle, existing);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameFile(directory.pathOf(temporaryName), path);
  } catch (error) {
    await unlink(directory.pathOf(temporaryName)).catch(() => {});
    throw error;
  }
}

/** Windows refuses to replace a file while another program, such as a virus scanner, has it open. */
const renameDelaysMs = [10, 20, 50, 100, 200, 400];
const busyCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EBUSY', 'EPERM']);

/** Renames a file, and replaces the one that has the name. */
export const renameFile =
  process.platform === 'win32'
    ? (from: string, to: string) => retryWhileBusy(() => rename(from, to), renameDelaysMs)
    : rename;

/** Calls `operation` again after each delay while it fails because a file is in use. At last throws EBUSY. */
export async function retryWhileBusy(
  operation: () => Promise<void>,
  delaysMs: readonly number[],
): Promise<void> {
  for (const delayMs of [...delaysMs, undefined]) {
    try {
      return await operation();
    } catch (error) {
      if (!busyCodes.has(codeOf(error))) throw error;
      // EPERM would say that the user has to change the permissions, which were checked before.
      if (delayMs === undefined) throw Object.assign(new Error('The file stays in use.'), { code: 'EBUSY' });
      await delay(delayMs);
    }
  }
}

async function copyOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const created = await handle.stat();
  // Only a privileged process can change the owner. Without the right, the file belongs to this user.
  if (created.uid !== uid || created.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  // As write(2) does: new content must not run with the rights of the owner.
  await handle.chmod(mode & 0o777);
}
