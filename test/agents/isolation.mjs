import { spawnSync } from 'node:child_process';

const script = 'ip link set lo up && exec "$@"';
const unshare = [
  'unshare',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  'sh',
  '-c',
  script,
  'sh',
];

/**
 * What stands before a command so that it can reach nothing but loopback, and nothing that it starts outlives it: a
 * network and a process namespace of its own, where the system and the user's rights allow. `[]` where they do not.
 */
export function isolationPrefix() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const [command, ...args] = unshare;
  const probe = spawnSync(command, [...args, 'true'], { stdio: 'ignore' });
  return probe.status === 0 ? unshare : [];
}

/** The next best: proxies that nobody answers, for programs that heed them. */
export const closedProxies = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
