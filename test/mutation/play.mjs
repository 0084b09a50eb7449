import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '../support/spawn.mjs';

/**
 * How long the tests of each pass may take without a change, in milliseconds: what fast tests notice spares the slow ones.
 * Still slower ones get no change.
 */
const allPasses = [50, 200, 800, 3000, 10_000];

/** How long a test with a change may take at least, before it counts as one that waits for ever. */
const limitMs = 2000;

/** How much longer nothing may happen before the process counts as stopped by a change, such as an endless loop. */
const silenceMs = 6000;

/**
 * Runs the tests with the changes in several processes, each with its own part of the changes.
 *
 * @returns the ids of the changes that tests noticed, those that tests reached, those in code that runs when the sources
 * are loaded, and what to say about tests.
 */
export async function play({ tree, work, tests, exclude, wanted, processes, longestMs }) {
  const passes = allPasses.filter((ms) => ms <= longestMs);
  const parts = Array.from({ length: processes }, (_, part) =>
    wanted.filter((_, at) => at % processes === part),
  );
  const all = await Promise.all(
    parts.map((part, index) =>
      playPart({ tree, tests, exclude, wanted: part, passes, files: join(work, `part-${index}`) }),
    ),
  );
  return {
    noticed: new Set(all.flatMap(({ noticed }) => [...noticed])),
    reached: new Set(all.flatMap(({ reached }) => [...reached])),
    loaded: new Set(all.flatMap(({ loaded }) => [...loaded])),
    problems: [...new Set(all.flatMap(({ problems }) => problems))],
  };
}

async function playPart({ tree, tests, exclude, wanted, passes, files }) {
  const noticed = new Set();
  const reached = new Set();
  const loaded = new Set();
  const done = new Set();
  const problems = [];
  const [path, log, current] = ['work.json', 'log.jsonl', 'current.json'].map((name) => `${files}.${name}`);
  if (wanted.length === 0) return { noticed, reached, loaded, problems };
  const durations = {};
  let pass = 0;
  for (let starts = 0; starts < 200 && noticed.size < wanted.length; starts++) {
    const longestMs = passes[pass];
    const isOver = (test) => done.has(test) || durations[test] > longestMs;
    const counts = { wanted, noticed: [...noticed], done: [...done], longestMs, durations, limitMs };
    const work = { include: tests, exclude, log, current, ...counts };
    writeFileSync(path, JSON.stringify(work));
    writeFileSync(log, '');
    writeFileSync(current, '{}');
    await runVitest(tree, path, current);
    for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
      const entry = JSON.parse(line);
      if (entry.noticed !== undefined) noticed.add(entry.noticed);
      else if (entry.reached) for (const id of entry.reached) reached.add(id);
      else if (entry.loaded) for (const id of entry.loaded) loaded.add(id);
      else if (entry.slow !== undefined) durations[entry.slow] = entry.ms;
      else done.add(entry.test);
      if (entry.problem !== undefined) problems.push(`${entry.test}: ${entry.problem}`);
    }
    const last = readCurrent(current);
    if (last.isAgain || (last.id === undefined && last.hasChanged && !isOver(last.test))) continue;
    if (last.test === undefined && done.size === 0 && Object.keys(durations).length === 0)
      throw new Error('No test has run: check the globs in tests.mjs.');
    if (last.test === undefined || isOver(last.test)) {
      pass++;
      if (pass === passes.length || Object.keys(durations).length === 0) break;
      for (const [test, ms] of Object.entries(durations)) if (ms <= passes[pass]) delete durations[test];
    } else if (last.id === undefined) {
      // The process ended while a test ran.
      problems.push(`${last.test}: The process ended in it without a change.`);
      done.add(last.test);
    } else noticed.add(last.id);
  }
  for (const [test, ms] of Object.entries(durations))
    problems.push(`${test}: It takes ${ms} ms, which is too long.`);
  return { noticed, reached, loaded, problems };
}

/** The process groups that run tests now. */
const running = new Set();

/** Ends what runs. */
export function endPrograms() {
  for (const pid of running) endGroup(pid);
}

/** Starts vitest in a process group of its own. Returns the process, and its exit status when it has ended. */
function startVitest(tree, args, env) {
  const command = ['node_modules/vitest/vitest.mjs', ...args, '--config', 'test/mutation/vitest.config.ts'];
  const child = spawn(process.execPath, command, {
    cwd: tree,
    stdio: 'ignore',
    env: { ...process.env, ...env },
    detached: true,
  });
  running.add(child.pid);
  const status = once(child, 'close').then(([code]) => {
    running.delete(child.pid);
    return code;
  });
  return { pid: child.pid, status };
}

/** Runs the tests. Ends them when nothing happens any more. */
async function runVitest(tree, path, current) {
  const { pid, status } = startVitest(tree, ['run', '--reporter', 'dot'], { MUTATION_WORK: path });
  const timer = setInterval(() => {
    const { id, limitMs: limit } = readCurrent(current);
    // To load the tests can take minutes on a busy machine.
    const longestSilenceMs = id === undefined ? 900_000 : limit + silenceMs;
    if (Date.now() - statSync(current).mtimeMs > longestSilenceMs) endGroup(pid);
  }, 1000);
  await status;
  clearInterval(timer);
}

/** The test and the change of this moment. Empty while the file is written. */
function readCurrent(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Whether the tests that import a file notice a change that is made before it is loaded. */
export async function noticesFromStart({ tree, work, tests, exclude, change: { id, file } }) {
  const path = join(work, `static-${id}.work.json`);
  writeFileSync(path, JSON.stringify({ include: tests, exclude }));
  const env = { MUTATION_WORK: path, MUTATION_STATIC: '1', __STRYKER_ACTIVE_MUTANT__: id };
  const { pid, status } = startVitest(tree, ['related', file, '--run', '--bail', '1'], env);
  const timer = setTimeout(() => endGroup(pid), 600_000);
  const code = await status;
  clearTimeout(timer);
  return code !== 0;
}
