import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTrace } from '../../../../src/programs/cli/agent.ts';
import { cacheFolder, transcriptsFolder } from '../../../../src/programs/cli/user-folders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test.each([
  ['linux', {}, '/home/me', '/home/me/.cache/acp-client-sdk'],
  ['linux', { XDG_CACHE_HOME: '/fast/cache' }, '/home/me', '/fast/cache/acp-client-sdk'],
  ['linux', { XDG_CACHE_HOME: 'cache' }, '/home/me', '/home/me/.cache/acp-client-sdk'],
  ['linux', { XDG_CACHE_HOME: '' }, '/home/me', '/home/me/.cache/acp-client-sdk'],
  ['darwin', { XDG_CACHE_HOME: '/fast/cache' }, '/Users/me', '/Users/me/Library/Caches/acp-client-sdk'],
  ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\me', 'D:\\Local\\acp-client-sdk\\Cache'],
  ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Local\\acp-client-sdk\\Cache'],
] as const)('on %s with %j and the home %s, copies are in %s', (platform, env, home, folder) => {
  expect(cacheFolder(env, platform, home)).toBe(folder);
});

test.each([
  ['linux', {}, '/home/me', '/home/me/.local/share/acp-client-sdk/transcripts'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/home/me', '/data/acp-client-sdk/transcripts'],
  ['linux', { XDG_DATA_HOME: 'data' }, '/home/me', '/home/me/.local/share/acp-client-sdk/transcripts'],
  ['darwin', {}, '/Users/me', '/Users/me/Library/Application Support/acp-client-sdk/transcripts'],
  ['win32', { LOCALAPPDATA: 'D:\\Local' }, 'C:\\Users\\me', 'D:\\Local\\acp-client-sdk\\transcripts'],
] as const)('on %s with %j and the home %s, transcripts are in %s', (platform, env, home, folder) => {
  expect(transcriptsFolder(env, platform, home)).toBe(folder);
});

// Windows has no such modes.
test.skipIf(process.platform === 'win32')('only the user can read a trace: it has prompts and files', () => {
  const path = join(temporaryFolder(), 'trace.ndjson');
  openTrace({ traceFile: path });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
