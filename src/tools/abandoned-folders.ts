import { lstat, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../base/diagnostic.ts';

/** What the names of the folders begin with. */
export const prefix = 'acp-tools-';

/** The name of the socket in its folder. */
export const socketName = 'socket';

/** A younger folder can belong to an editor that does not listen yet. */
const minAgeMs = 60_000;

/**
 * Removes the folders of editors that were killed, and could not remove them. Such a folder belongs to this user, and no
 * process listens to its socket. Never rejects. On Windows a folder does not show whether its editor runs: it stays.
 *
 * @param place - The folder that has the folders.
 */
export async function removeAbandonedFolders(place: string): Promise<void> {
  if (process.platform === 'win32') return;
  const names = await readdir(place).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const path = join(place, name);
    // Another user's folder cannot be looked into, and what another editor removes meanwhile is gone.
    if (await isAbandoned(path).catch(() => false)) {
      await rm(path, { recursive: true, force: true }).catch(() => {});
    }
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const folder = await lstat(path);
  if (!folder.isDirectory() || folder.uid !== process.getuid?.()) return false;
  if (Date.now() - folder.mtimeMs < minAgeMs) return false;
  const socketPath = join(path, socketName);
  if (!(await lstat(socketPath)).isSocket()) return false;
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    // Only this error says that no program listens. A busy editor gives another error.
    socket.once('error', (error) => resolve(codeOf(error) === 'ECONNREFUSED'));
  });
}
