import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

// Windows does not have the flag.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Reads a file. Throws an `Error` if it is longer than `maxBytes`, or is not an ordinary file, such as a pipe. */
export async function readLimited(path: string, maxBytes: number): Promise<Buffer> {
  // Without the flag, opening a pipe waits for a program that writes to it.
  const handle = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not an ordinary file');
    if (stats.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
