import { expect, test } from 'vitest';
import { cacheFolder, transcriptsFolder } from '../../../../src/programs/cli/user-folders.ts';

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
