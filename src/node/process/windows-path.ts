import { win32 } from 'node:path';
import { outside, refused } from '../../core/client/requests/file-answers.ts';
import type { RequestError } from '../../core/rpc/request-error.ts';

/** Names of devices. They name the device in every directory, and with every extension. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9¹²³])$/i;

/** In UTF-16 code units. Windows answers that a longer name does not exist. */
const maxNameLength = 255;

/**
 * The error for a path that must not be used on Windows, or `undefined`. Looks only at the text of the path: on a path
 * such as `\\host\share` any call of the file system would connect to the host and send the user's credentials.
 *
 * @param path - An absolute path without `..`.
 */
export function windowsPathError(path: string, folders: readonly string[]): RequestError | undefined {
  const { root, dir, base } = win32.parse(win32.resolve(path));
  if (/^\\\\[.?]\\/.test(root)) {
    return refused(`${path} is in a device namespace. Use a path that begins with a drive.`, path);
  }
  const isShare = root.startsWith('\\\\');
  const roots = folders.map((folder) => win32.parse(win32.resolve(folder)).root.toLowerCase());
  if (isShare && !roots.includes(root.toLowerCase())) return outside(path, folders);
  for (const name of win32.join(dir, base).slice(root.length).split('\\')) {
    const problem = nameProblem(name);
    if (problem !== undefined) return refused(`${path} ${problem}. Use another name.`, path);
  }
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'names an alternate data stream';
  if (deviceName.test(name.split('.', 1)[0]?.trimEnd() ?? '')) return 'names a device';
  if (name.length > maxNameLength) return `has a name of more than ${maxNameLength} characters`;
  if (/[. ]$/.test(name)) return 'has a name that ends with a dot or a space, which Windows ignores';
  return undefined;
}
