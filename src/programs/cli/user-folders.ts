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
  if (platform === 'win32') return win32.join(localAppData(env, home), name, 'Cache');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', name);
  return posix.join(baseFolder(env['XDG_CACHE_HOME'], home, '.cache'), name);
}

/** The directory for the transcripts that the user keeps, as the conventions of the system name it. */
export function transcriptsFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (platform === 'win32') return win32.join(localAppData(env, home), name, 'transcripts');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', name, 'transcripts');
  return posix.join(baseFolder(env['XDG_DATA_HOME'], home, '.local/share'), name, 'transcripts');
}

function localAppData({ LOCALAPPDATA: given }: Environment, home: string): string {
  return given && win32.isAbsolute(given) ? given : win32.join(home, 'AppData', 'Local');
}

/** @see https://specifications.freedesktop.org/basedir-spec/latest/ says that relative paths are ignored */
function baseFolder(given: string | undefined, home: string, otherwise: string): string {
  return given && posix.isAbsolute(given) ? given : posix.join(home, otherwise);
}
