import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markName } from './place.mjs';

/**
 * The agent and the processes that it started, as far as they run. Each has the mark of the place in its environment, or
 * its working directory in the folder of the place. Linux only; elsewhere it finds none.
 *
 * @returns A list of `{ pid, command }`.
 */
export function runningProcesses(mark) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) => {
      const isMarked = read(pid, 'environ').split('\0').includes(`${markName}=${mark}`);
      if (!isMarked && !`${folderOf(pid)}/`.startsWith(`${mark}/`)) return [];
      return [{ pid: Number(pid), command: read(pid, 'cmdline').split('\0').join(' ').trim() }];
    });
}

/** Ends the processes that an agent started and did not end, each by its pid. Resolves to the list of them. */
export async function endLeftovers(mark) {
  const found = runningProcesses(mark);
  let left = found;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === 10) {
      throw new Error(`These processes could not be ended: ${left.map(({ pid }) => pid).join(', ')}.`);
    }
    for (const { pid } of left) endProcess(pid, attempt === 0 ? 'SIGTERM' : 'SIGKILL');
    await sleep(300);
    left = runningProcesses(mark);
  }
  return found;
}

/** Sends a signal to a process that may have ended already. */
export function endProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The working directory of a process; `''` if it has ended or belongs to another user. */
function folderOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
