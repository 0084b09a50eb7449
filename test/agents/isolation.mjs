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
 * The prefix of a command that runs it in new network and process namespaces: it reaches loopback only, and its processes
 * end with it. `[]` where the system or the permissions of the user do not allow this.
 */
export function isolationPrefix() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const [command, ...args] = unshare;
  const probe = spawnSync(command, [...args, 'true'], { stdio: 'ignore' });
  return probe.status === 0 ? unshare : [];
}

/** Used without namespaces: proxy settings that lead nowhere, for programs that read them. */
export const closedProxies = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};
