import { spawn, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** What a system offers to end a program together with whatever it started. */
export interface GroupControl {
  /** Asks (`SIGTERM`) or forces (`SIGKILL`) the whole group to end. A group that is gone is no error. */
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Ends the whole group before it returns: for a process that is about to end itself. */
  killNow(pid: number): void;
  /** Whether anything of the group runs. Asked only after its leader has been reaped. */
  runs(pid: number): Promise<boolean>;
}

/** The command that ends a tree on Windows. Without `/F` a console program ignores it. */
export function taskkill(
  pid: number,
  { SystemRoot = 'C:\\Windows' }: Readonly<Record<string, string | undefined>> = process.env,
): { command: string; args: readonly string[] } {
  // In full, so that no taskkill.exe in the working directory is run instead.
  return { command: `${SystemRoot}\\System32\\taskkill.exe`, args: ['/pid', String(pid), '/T', '/F'] };
}

const windows: GroupControl = {
  signal(pid) {
    const { command, args } = taskkill(pid);
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
  },
  killNow(pid) {
    const { command, args } = taskkill(pid);
    spawnSync(command, args, { stdio: 'ignore', windowsHide: true, timeout: 5000 });
  },
  // A tree is found from its leader only: once that has gone its number may belong to a stranger.
  runs: () => Promise.resolve(false),
};

const posix: GroupControl = {
  signal: signalGroup,
  killNow: (pid) => {
    signalGroup(pid, 'SIGKILL');
  },
  async runs(pid) {
    if (!signalGroup(pid, 0)) return false;
    return (await membersOnLinux(pid)) ?? true;
  },
};

export const groups: GroupControl = process.platform === 'win32' ? windows : posix;

/** Whether there was a group to signal. EPERM is what macOS answers for a group of zombies. */
function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Whether the group has a member that is no zombie; nothing where the system does not say. A zombie counts for
 * signals until somebody reaps it, and in a container without an init process nobody does.
 */
async function membersOnLinux(group: number): Promise<boolean | undefined> {
  let pids: string[];
  try {
    pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  } catch {
    return undefined;
  }
  if (pids.length === 0) return undefined;
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.some((stat) => {
    // The name in parentheses may hold anything, parentheses too: state, parent and group stand after the last one.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(processGroup) === group && state !== 'Z' && state !== 'X';
  });
}
