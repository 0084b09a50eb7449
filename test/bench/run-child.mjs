import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('run-one.mjs', import.meta.url));

/** Makes one measurement in a process of its own, and gives its result. */
export async function runChild(measurement, job) {
  const args = ['--expose-gc', program, measurement, JSON.stringify(job)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
  return JSON.parse(stdout);
}

/** The middle of some samples, with the least and the most of them. */
export function summary(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
}
