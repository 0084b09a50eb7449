// The agents suite: node test/agents/main.mjs [--date YYYY-MM-DD] [NAME…]
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalog, labelOf } from './catalog.mjs';
import { cacheFolder, install } from './install.mjs';
import { isolationPrefix } from './isolation.mjs';
import { endLeftovers } from './leftovers.mjs';
import { agentsPage } from './page.mjs';

const limitMs = 20 * 60_000;
const reportFolder = join(cacheFolder, 'reports');
const reportFile = (agent) => join(reportFolder, `${labelOf(agent)}.json`);
const page = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

const today = new Date().toISOString().slice(0, 10);
const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { date: { type: 'string', default: today } },
});
const unknown = names.filter((name) => !catalog.some((agent) => agent.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no agent ${unknown.join(', ')} here; there are ${catalog.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = names.length === 0 ? catalog : catalog.filter(({ name }) => names.includes(name));

// Interrupted, the suite ends what it runs, and only then itself.
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort());
const prefix = isolationPrefix();
try {
  process.exitCode = (await runAll()) ? 0 : 1;
} catch (error) {
  if (!interruption.signal.aborted) throw error;
  console.log('\nInterrupted. The page is as it was.');
  process.exitCode = 130;
}

/** Runs the chosen agents and writes the page; gives whether all went well. */
async function runAll() {
  await mkdir(reportFolder, { recursive: true });
  await install(chosen, { say: console.log, signal: interruption.signal });
  console.log(
    prefix.length > 0
      ? 'Each agent runs in a network namespace with loopback alone.'
      : 'No network namespace here: proxies that nobody answers stand before everything but loopback.',
  );
  let well = true;
  for (const agent of chosen) {
    interruption.signal.throwIfAborted();
    console.log(`\n${agent.name} (${agent.package})`);
    await rm(reportFile(agent), { force: true });
    const code = await runInPlace(agent);
    interruption.signal.throwIfAborted();
    const report = await readReport(agent);
    if (!report) console.log(`  the run failed: ${code}`);
    well &&= report !== undefined && tell(report);
  }
  await writePage();
  return well;
}

/** Says what became of each step; gives whether nothing is wrong with this library. */
function tell({ runs }) {
  for (const [version, { steps, faults }] of Object.entries(runs)) {
    for (const [id, { outcome, note }] of Object.entries(steps)) {
      console.log(`  v${version} ${id}: ${outcome}${note ? `, ${note}` : ''}`);
    }
    for (const fault of faults) console.log(`  v${version} FAULT ${fault}`);
  }
  return Object.values(runs).every(({ faults }) => faults.length === 0);
}

/** Runs an agent in a folder of its own. However that ends, no process and no file of it stays. */
async function runInPlace(agent) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `acp-agents-${agent.name}-`)));
  try {
    return await runOne(agent, folder);
  } finally {
    await endLeftovers(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 });
  }
}

/** The scenario with one agent, in a process of its own; gives its exit code, or what ended it. */
function runOne(agent, folder) {
  const program = fileURLToPath(new URL('run-one.mjs', import.meta.url));
  const run = [process.execPath, program, agent.name, folder, reportFile(agent), values.date];
  const [command, ...args] = [...prefix, ...run];
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ACP_AGENTS_ISOLATED: prefix.length > 0 ? '1' : '' },
  });
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(kill, limitMs);
  interruption.signal.addEventListener('abort', kill, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code));
  }).finally(() => {
    clearTimeout(timer);
    interruption.signal.removeEventListener('abort', kill);
  });
}

/** What the agent's last run gave; nothing, where it came to no end. */
async function readReport(agent) {
  try {
    return JSON.parse(await readFile(reportFile(agent), 'utf8'));
  } catch {
    return undefined;
  }
}

/** The page shows every agent of the catalogue, each as it was run last. */
async function writePage() {
  const reports = await Promise.all(catalog.map(readReport));
  const missing = catalog.filter((_agent, index) => !reports[index]).map(({ name }) => name);
  if (missing.length > 0) {
    console.log(`\nThe page is not written: there is no report of ${missing.join(', ')}.`);
    return;
  }
  await writeFile(page, agentsPage(reports));
  console.log(`\nWrote ${page}.`);
}
