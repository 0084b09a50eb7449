import { existsSync, readFileSync } from 'node:fs';

/** The CPU time of each thread of this process so far, where the system tells it: in nanoseconds, the first number. */
const threadFile = '/proc/thread-self/schedstat';
const tellsThreads = existsSync(threadFile);

/** CPU time of this thread, in milliseconds: other threads of V8 and of other tests run in the same process. */
export function cpuMs(): number {
  if (tellsThreads) return Number(readFileSync(threadFile, 'latin1').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
