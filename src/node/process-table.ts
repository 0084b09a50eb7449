import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Slots } from './slots.ts';

/** A running process. Zombies are not listed. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Known on Linux only. */
  readonly session?: number;
}

/** How many files are read at once: many programs may end together, while few files can be open. */
const slots = new Slots(8);

let current: Promise<readonly ProcessEntry[]> | undefined;
let next: Promise<readonly ProcessEntry[]> | undefined;

/**
 * The processes of this system, or an empty list if they cannot be read. The list is read after the call. Calls that come
 * during a read share the next one.
 */
export function processTable(): Promise<readonly ProcessEntry[]> {
  if (!current) {
    current = readTable().finally(() => {
      current = undefined;
    });
    return current;
  }
  next ??= current.then(() => {
    next = undefined;
    return processTable();
  });
  return next;
}

async function readTable(): Promise<readonly ProcessEntry[]> {
  try {
    if (process.platform !== 'linux') return parsePs(await outputOfPs());
    const pids = (await readdir('/proc')).filter(isPid);
    const stats = await Promise.all(
      pids.map((pid) => slots.run(undefined, () => readFile(statPath(pid), 'utf8')).catch(() => '')),
    );
    return pids.flatMap((pid, index) => parseStat(pid, stats[index] ?? ''));
  } catch {
    return [];
  }
}

/** Like {@link processTable}, for a process that is about to exit. */
export function processTableSync(): readonly ProcessEntry[] {
  try {
    if (process.platform !== 'linux') return parsePs(spawnSync(ps.command, ps.args, ps.options).stdout);
    return readdirSync('/proc')
      .filter(isPid)
      .flatMap((pid) => parseStat(pid, readStat(pid)));
  } catch {
    return [];
  }
}

/**
 * The process groups of a program that leads a session, and of its descendants. On Linux also the groups of processes in
 * the session whose parent has exited.
 */
export function groupsOf(pid: number, table: readonly ProcessEntry[]): ReadonlySet<number> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
  }
  const groups = new Set([pid]);
  const pending = table.filter((entry) => (entry.session ?? entry.pid) === pid);
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
  command: 'ps',
  args: ['-A', '-o', 'pid=,ppid=,pgid=,stat='],
  options: { encoding: 'utf8', env: { PATH: '/bin:/usr/bin' }, timeout: 2000, maxBuffer: 16 * 1024 * 1024 },
} as const;

function isPid(name: string): boolean {
  return /^\d+$/.test(name);
}

function statPath(pid: string): string {
  return `/proc/${pid}/stat`;
}

function readStat(pid: string): string {
  try {
    return readFileSync(statPath(pid), 'utf8');
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
  const [state = '', parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || /[ZX]/.test(state)) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) }];
}

export function parsePs(output: string): ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}
