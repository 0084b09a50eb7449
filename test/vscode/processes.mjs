import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine: `{ pid, parent, command }`. Linux only. */
function processTable() {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The name in parentheses can contain anything.
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
        return [{ pid: Number(pid), parent: Number(parent), command }];
      } catch {
        // It has ended in the meantime.
        return [];
      }
    });
}

/** The processes that a process started, and those that they started: `{ pid, parent, command }`. */
export function descendantsOf(pid) {
  const table = processTable();
  const found = [];
  const parents = new Set([pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const one of table) {
      if (parents.has(one.pid) || !parents.has(one.parent)) continue;
      parents.add(one.pid);
      found.push(one);
      grown = true;
    }
  }
  return found;
}

/** Whether a process runs. One that has ended and is not collected yet does not. */
export function isRunning(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
