import { spawn, spawnSync } from 'node:child_process';
import {
  groupsOf,
  markedProcessTable,
  markedProcessTableSync,
  type Program,
  processTable,
} from './process-table.ts';

/** How the system ends a program together with everything that it started. */
export interface GroupControl {
  /**
   * The process groups of a program, of its descendants, and of processes with its mark. Contains at least the group of
   * the program.
   */
  find(program: Program): Promise<ReadonlySet<number>>;
  /** Sends a signal to a group. Does nothing if the group does not exist. */
  signal(group: number, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Kills what `find` finds before it returns, for a process that is about to exit. */
  killNow(programs: readonly Program[]): void;
  /** Whether a process of the group runs. Call it only after the program has exited. */
  runs(group: number): Promise<boolean>;
}

/** The command that ends process trees on Windows. Console programs ignore it without `/F`. */
export function taskkill(
  pids: readonly number[],
  { SystemRoot = 'C:\\Windows' }: Readonly<Record<string, string | undefined>> = process.env,
): { command: string; args: readonly string[] } {
  // The full path, so that a taskkill.exe in the working directory is not run instead.
  const command = `${SystemRoot}\\System32\\taskkill.exe`;
  return { command, args: [...pids.flatMap((pid) => ['/pid', String(pid)]), '/T', '/F'] };
}

/** How long `taskkill` may take while this process waits for it to exit. */
const taskkillTimeoutMs = 5000;

/** On Windows a group is the process tree of a program. */
export const windowsGroups: GroupControl = {
  find: ({ pid }) => Promise.resolve(new Set([pid])),
  signal(pid) {
    const { command, args } = taskkill([pid]);
    spawn(command, args, { stdio: 'ignore', windowsHide: true })
      .on('error', () => send(pid, 'SIGKILL'))
      .on('exit', (exitCode) => {
        if (exitCode !== 0) send(pid, 'SIGKILL');
      });
  },
  killNow(programs) {
    const pids = programs.map(({ pid }) => pid);
    const { command, args } = taskkill(pids);
    const options = { stdio: 'ignore', windowsHide: true, timeout: taskkillTimeoutMs } as const;
    if (spawnSync(command, args, options).status !== 0) for (const pid of pids) send(pid, 'SIGKILL');
  },
  // A tree is found through its leader. After the leader has exited, its number can belong to another process.
  runs: () => Promise.resolve(false),
};

const posixGroups: GroupControl = {
  find: async (program) =>
    groupsOf(program, await (program.mark === undefined ? processTable() : markedProcessTable())),
  signal: (group, signal) => void send(-group, signal),
  killNow(programs) {
    const table = markedProcessTableSync();
    // All groups are found before the first is killed: children of a process that has exited get another parent.
    const found = programs.flatMap((program) => [...groupsOf(program, table)]);
    for (const group of found) send(-group, 'SIGKILL');
  },
  async runs(group) {
    if (!send(-group, 0)) return false;
    if (process.platform !== 'linux') return true;
    // Zombies accept signals until their parent reaps them. In a container without an init process that can be never.
    return (await processTable()).some((entry) => entry.group === group);
  },
};

export const groups: GroupControl = process.platform === 'win32' ? windowsGroups : posixGroups;

/** Whether the signal was sent: to one process, or to a group if the number is negative. */
function send(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has exited. macOS answers EPERM for a group of zombies.
    return false;
  }
}
