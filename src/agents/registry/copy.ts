import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { makeDirectory } from '../../node/files/make-directory.ts';
import { pinDirectory } from '../../node/files/pinned-directory.ts';
import { replaceFile } from '../../node/files/replace-file.ts';
import { type RegistryContent, readContent } from './content.ts';

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

const copySchema = v.object({
  url: v.string(),
  /** What the server sent, unchanged: a later version of this library may read more of it. */
  text: v.string(),
  etag: v.optional(v.string()),
  /** When the server last sent or confirmed it, as ISO 8601. */
  fetchedAt: v.pipe(v.string(), v.isoTimestamp()),
});

/** The last good copy of a registry. */
export type RegistryCopy = Omit<v.InferOutput<typeof copySchema>, 'url'>;

/** A copy with what it contains. */
export interface CheckedCopy extends RegistryCopy {
  readonly content: RegistryContent;
}

/** A quote, a backslash or a line break of the text becomes two bytes. JSON has no other byte that is escaped. */
const escapedBytes = 2;
const maxOtherBytes = 64 * 1024;

/** Reads the copy of the registry at this address. `undefined` if there is none that is good. */
export async function readCopy(folder: string, url: URL, maxBytes: number): Promise<CheckedCopy | undefined> {
  try {
    const bytes = await readLimited(join(folder, await nameOf(url)), maxBytes * escapedBytes + maxOtherBytes);
    const copy = v.parse(copySchema, JSON.parse(bytes.toString()));
    if (copy.url !== url.href) return undefined;
    return { ...copy, content: readContent(Buffer.from(copy.text)) };
  } catch {
    // Missing, unreadable or damaged: the next fetch replaces it.
    return undefined;
  }
}

/** Writes the copy in one step: a reader sees the previous copy or this one. Creates the folder, for this user only. */
export async function writeCopy(folder: string, url: URL, copy: RegistryCopy): Promise<void> {
  await makeDirectory(folder);
  const directory = await pinDirectory(await realpath(folder), [folder]);
  try {
    await replaceFile(directory, await nameOf(url), JSON.stringify({ url: url.href, ...copy }));
  } finally {
    await directory.close();
  }
}

/** Each address has its own copy. */
async function nameOf({ href }: URL): Promise<string> {
  const { createHash } = await import('node:crypto');
  return `registry-${createHash('sha256').update(href).digest('hex').slice(0, 16)}.json`;
}
