import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process takes. Known on Linux only. */
export interface Weight {
  readonly residentMb: number;
  readonly threads: number;
}

export function weightOf(pid: number): Weight {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { residentMb: Math.round(number('VmRSS') / 1024), threads: number('Threads') };
}

/** How many TCP connections this process has to a port of this machine. */
export function connectionsTo(port: number): number {
  const own = new Set(readdirSync('/proc/self/fd').map(socketOf));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const established = '01';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , to, state, , , , , , inode]) => to?.endsWith(remote) && state === established && own.has(inode),
    ).length;
}

/** The number of the socket of an open file. */
function socketOf(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
  } catch {
    // Closed meanwhile.
    return undefined;
  }
}
