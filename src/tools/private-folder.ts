import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../core/base/diagnostic.ts';
import { ConnectionStateError } from '../core/base/errors.ts';
import { onProcessEnd } from '../node/process/live-processes.ts';

/** What the names of the folders begin with. */
const prefix = 'acp-tools-';

/** The name of the socket in its folder. */
const socketName = 'socket';

/** The longest path of a socket, in bytes: 103 on macOS, 107 on Linux. A longer one could be cut off. */
const maxSocketPathBytes = 103;

/** Where the folders can be: the usual place, the folder of the user's session on Linux, and a place with a short path. */
export function folderPlaces(): readonly string[] {
  if (process.platform === 'win32') return [tmpdir()];
  const { XDG_RUNTIME_DIR: runtime } = process.env;
  return [tmpdir(), ...(runtime?.startsWith('/') ? [runtime] : []), '/tmp'];
}

/** A folder that only the user can enter, and the path of a socket in it. */
export interface PrivateFolder {
  readonly path: string;
  readonly socketPath: string;
}

/**
 * Makes a private folder in the first of these places where it is possible, and fills it.
 *
 * @throws {@link ConnectionStateError} if it is possible in none.
 */
export async function privateFolder(
  fill: (folder: PrivateFolder) => Promise<void>,
  places = folderPlaces(),
): Promise<PrivateFolder> {
  const failures: string[] = [];
  for (const place of places) {
    // The six characters stand for those of the name.
    const expected = join(place, `${prefix}XXXXXX`, socketName);
    if (process.platform !== 'win32' && Buffer.byteLength(expected) > maxSocketPathBytes) {
      failures.push(`${place}: the path of a socket would have more than ${maxSocketPathBytes} bytes`);
      continue;
    }
    let path: string | undefined;
    try {
      // The folder has the mode 0700.
      path = await mkdtemp(join(place, prefix));
      if (folders.size === 0) stopListening = onProcessEnd(removeAll);
      folders.add(path);
      const folder = { path, socketPath: join(path, socketName) };
      await fill(folder);
      return folder;
    } catch (error) {
      failures.push(`${place}: ${errorMessage(error)}`);
      if (path) await removeFolder(path);
    }
  }
  throw new ConnectionStateError(
    `The tools of the editor need a folder for a socket, which could not be made. ${failures.join('. ')}. Nothing was sent. Set TMPDIR to a folder that this user can write, with a short path.`,
  );
}

/** The folders that an editor would leave behind if it exits, or is ended by a signal, before its sessions end. */
const folders = new Set<string>();
let stopListening = () => {};

function removeAll(): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}

/** Removes the folder. Never rejects: it may be gone already. */
export async function removeFolder(path: string): Promise<void> {
  folders.delete(path);
  if (folders.size === 0) stopListening();
  await rm(path, { recursive: true }).catch(() => {});
}
