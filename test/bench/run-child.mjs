import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Makes one measurement in a process of its own, so that no heap and no compiled code of another run weighs on it, and gives its
 * result. This file is the program.
 */
export async function runChild(measurement, job) {
  const args = ['--expose-gc', import.meta.filename, measurement, JSON.stringify(job)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
  return JSON.parse(stdout);
}

/**
 * Makes a measurement for each of some jobs, in turns and each time with another one first: what else the machine does hits
 * all alike. Gives the middle of each number, by the name of the job.
 *
 * @param jobs - By name.
 * @param make - Makes one measurement of a job.
 */
export async function runInTurns(runs, jobs, make) {
  const names = Object.keys(jobs);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(run + turn) % names.length];
      samples[name].push(await make(jobs[name]));
    }
  }
  return Object.fromEntries(names.map((name) => [name, middles(samples[name])]));
}

/** The middle of each number in some samples. */
function middles(samples) {
  const keys = Object.keys(samples[0]);
  return Object.fromEntries(keys.map((key) => [key, summary(samples.map((sample) => sample[key]))]));
}

/** One number of each job. */
export function eachOf(results, key) {
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result[key]]));
}

/** The middle of some samples, with the least and the most of them. */
export function summary(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
}

if (process.argv[1] === import.meta.filename) {
  const [measurement, given] = process.argv.slice(2);
  const { measure } = await import(`./measurements/${measurement}.mjs`);
  process.stdout.write(JSON.stringify(await measure(JSON.parse(given))));
}
