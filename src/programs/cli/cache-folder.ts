import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const name = 'acp-client-sdk';

/** The directory for copies that can be fetched again, as the conventions of the system name it. */
export function cacheFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (platform === 'win32') {
    return win32.join(
      absolute(env['LOCALAPPDATA'], win32) ?? win32.join(home, 'AppData', 'Local'),
      name,
      'Cache',
    );
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', name);
  return posix.join(absolute(env['XDG_CACHE_HOME'], posix) ?? posix.join(home, '.cache'), name);
}

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ says that relative paths are ignored */
function absolute(path: string | undefined, { isAbsolute }: typeof posix): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
