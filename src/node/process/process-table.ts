import { execFile, spawnSync } from 'node:child_process';
import { close, open, read, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { delay } from '../../core/base/wait.ts';
import { Slots } from './slots.ts';

/** A running process. Zombies are not listed. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Known on Linux only. */
  readonly session?: number;
  /** When it started, in ticks since the start of the system. Known on Linux only. */
  readonly startTicks?: number;
  /** The value of the variable `markName` in its environment, if that was read. */
  readonly mark?: string | undefined;
}

/** A program, and how the processes that it started are found. */
export interface Program {
  readonly pid: number;
  /** If present, processes with this mark are found too, although they have left its session and have no parent. */
  readonly mark?: string | undefined;
}

/**
 * The variable that marks the processes of one start. A process inherits it, so it is found although it moved to
 * another session and its parents have exited.
 */
export const markName = 'ACP_CLIENT_START';

/** The mark in an environment as `/proc/<pid>/environ` shows it: variables that each end with a NUL character. */
export function markIn(environ: string): string | undefined {
  const prefix = `${markName}=`;
  return environ
    .split('\0')
    .find((variable) => variable.startsWith(prefix))
    ?.slice(prefix.length);
}

/** A process has no environment while it executes another program. It is read this many times until it is there. */
const maxAttempts = 10;
const betweenAttemptsMs = 2;

/** How many files are read at once: many programs may end together, while few files can be open. */
const slots = new Slots(8);

/**
 * The processes of this system, or an empty list if they cannot be read. The list is read after the call. Calls that
 * come during a read share the next one.
 */
export const processTable = shared(readTable);

/** Like {@link processTable}, with the marks of processes that this one can have started. Linux only. */
export const markedProcessTable = shared(async () => withMarks(await readTable()));

function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  return function get(): Promise<T> {
    if (!current) {
      current = read().finally(() => {
        current = undefined;
      });
      return current;
    }
    next ??= current.then(() => {
      next = undefined;
      return get();
    });
    return next;
  };
}

async function readTable(): Promise<readonly ProcessEntry[]> {
  try {
    if (process.platform !== 'linux') return parsePs(await outputOfPs());
    const pids = (await readdir('/proc')).filter(isPid);
    const stats = await Promise.all(pids.map(readStat));
    return pids.flatMap((pid, index) => parseStat(pid, stats[index] ?? ''));
  } catch {
    return [];
  }
}

function withMarks(table: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  const canBeMarked = isYoungerThanThis(table);
  return Promise.all(
    table.map(async (entry) => {
      if (!canBeMarked(entry)) return entry;
      return { ...entry, mark: markIn(await readEnvironment(entry.pid)) };
    }),
  );
}

/** Most processes are older than this one, and their environment need not be read. */
function isYoungerThanThis(table: readonly ProcessEntry[]): (entry: ProcessEntry) => boolean {
  const { startTicks: ownTicks = 0 } = table.find(({ pid }) => pid === process.pid) ?? {};
  return ({ pid, startTicks = -1 }) => pid !== process.pid && startTicks >= ownTicks;
}

/** Like {@link markedProcessTable}, on each system, for a process that is about to exit. */
export function markedProcessTableSync(): readonly ProcessEntry[] {
  try {
    if (process.platform !== 'linux') return parsePs(spawnSync(ps.command, ps.args, ps.options).stdout);
    const table = readdirSync('/proc')
      .filter(isPid)
      .flatMap((pid) => parseStat(pid, readProcessFileSync(pid, 'stat')));
    const canBeMarked = isYoungerThanThis(table);
    return table.map((entry) => {
      if (!canBeMarked(entry)) return entry;
      return { ...entry, mark: markIn(readProcessFileSync(String(entry.pid), 'environ')) };
    });
  } catch {
    return [];
  }
}

/**
 * The process groups of a program that leads a session, and of its descendants. On Linux also the groups of processes
 * in the session whose parent has exited, and of processes with the mark if there is one.
 */
export function groupsOf({ pid, mark }: Program, table: readonly ProcessEntry[]): ReadonlySet<number> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
  }
  const groups = new Set([pid]);
  const pending = table.filter(
    (entry) => (entry.session ?? entry.pid) === pid || (mark !== undefined && entry.mark === mark),
  );
  const seen = new Set(pending);
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    groups.add(entry.group);
    for (const child of children.get(entry.pid) ?? []) {
      if (!seen.has(child)) pending.push(child);
      seen.add(child);
    }
  }
  // A number that was reused must never lead to the group of this process.
  const own = table.find((entry) => entry.pid === process.pid);
  if (own) groups.delete(own.group);
  return groups;
}

const ps = {
  // The full path, so that no other program of this name is run.
  command: '/bin/ps',
  args: ['-A', '-o', 'pid=,ppid=,pgid=,stat='],
  options: { encoding: 'utf8', env: { PATH: '/bin:/usr/bin' }, timeout: 2000, maxBuffer: 16 * 1024 * 1024 },
} as const;

function isPid(name: string): boolean {
  return /^\d+$/.test(name);
}

/** More than the line of numbers about a process can have. */
const maxStatBytes = 2048;

/**
 * What Linux tells about a process in one line, or an empty text if it has exited. All processes are read again and
 * again while a program ends, and `readFile` takes twice as many calls of the system.
 */
function readStat(pid: string): Promise<string> {
  return slots.run(
    undefined,
    () =>
      new Promise((resolve) => {
        open(`/proc/${pid}/stat`, (failure, file) => {
          if (failure) return resolve('');
          read(file, { buffer: Buffer.allocUnsafe(maxStatBytes) }, (error, length, buffer) => {
            close(file, () => resolve(error ? '' : buffer.toString('latin1', 0, length)));
          });
        });
      }),
  );
}

/** The environment of a process, or an empty text if it has exited or belongs to another user. */
async function readEnvironment(pid: number): Promise<string> {
  try {
    for (let attempt = 1; ; attempt++) {
      const environment = await slots.run(undefined, () => readFile(`/proc/${pid}/environ`, 'utf8'));
      if (environment !== '' || attempt === maxAttempts) return environment;
      await delay(betweenAttemptsMs);
    }
  } catch {
    return '';
  }
}

function readProcessFileSync(pid: string, name: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Not with `promisify`: in Node 22 and later, the import of `node:util` opens stderr. */
function outputOfPs(): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(ps.command, ps.args, ps.options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}

function parseStat(pid: string, stat: string): ProcessEntry[] {
  // The name in parentheses can contain parentheses. The other fields follow the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  if (stat === '' || /[ZX]/.test(state)) return [];
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startTicks: Number(fields[19]),
    },
  ];
}

export function parsePs(output: string): ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}
