import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { markName } from './place.mjs';

/**
 * The processes that carry the mark of a place: what an agent started and did not end. Linux only; elsewhere none
 * are found.
 *
 * @returns `{ pid, command }` each.
 */
export function leftovers(mark) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      const variables = read(pid, 'environ').split('\0');
      if (!variables.includes(`${markName}=${mark}`)) return [];
      return [{ pid: Number(pid), command: read(pid, 'cmdline').split('\0').join(' ').trim() }];
    });
}

/** Ends each of them, by its number, and says which they were. */
export async function endLeftovers(mark) {
  const found = leftovers(mark);
  for (let attempt = 0; attempt < 5; attempt++) {
    const left = leftovers(mark);
    if (left.length === 0) break;
    for (const { pid } of left) end(pid, attempt === 0 ? 'SIGTERM' : 'SIGKILL');
    await sleep(300);
  }
  return found;
}

function end(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
