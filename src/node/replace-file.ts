import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, rename, unlink } from 'node:fs/promises';
import { changedPath, codeOf } from './file-failure.ts';
import type { HeldFolder } from './held-folder.ts';

/**
 * Puts a file with `content` in the place of `name`, or of nothing, in one step: whoever reads sees the old text or
 * the new one. Mode and, where this process may, owner stay. A file that may not be written to is not replaced.
 */
export async function replaceFile(folder: HeldFolder, name: string, content: string): Promise<void> {
  const path = folder.pathOf(name);
  const existing = await statOf(path);
  if (existing) {
    if (!existing.isFile()) throw changedPath();
    await access(path, constants.W_OK);
  }
  const temporary = `.${randomUUID()}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await folder.open(temporary, flags, (existing?.mode ?? 0o666) & 0o777);
  try {
    try {
      if (existing) await keepOwnerAndMode(handle, existing);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(folder.pathOf(temporary), path);
  } catch (error) {
    await unlink(folder.pathOf(temporary)).catch(() => {});
    throw error;
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function keepOwnerAndMode(handle: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const made = await handle.stat();
  // Only a privileged process may give files away, and that is the one that would otherwise take them.
  if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o7777);
}
