// The agents suite: node test/agents/main.mjs [--date YYYY-MM-DD] [NAME…]
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalog, labelOf } from './catalog.mjs';
import { cacheFolder, install } from './install.mjs';
import { isolationPrefix } from './isolation.mjs';
import { agentsPage } from './page.mjs';

const limitMs = 20 * 60_000;
const reportFolder = join(cacheFolder, 'reports');
const reportFile = (agent) => join(reportFolder, `${labelOf(agent)}.json`);
const page = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { date: { type: 'string' } },
});
const unknown = names.filter((name) => !catalog.some((agent) => agent.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no agent ${unknown.join(', ')} here; there are ${catalog.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = names.length === 0 ? catalog : catalog.filter(({ name }) => names.includes(name));

await mkdir(reportFolder, { recursive: true });
await install(chosen, console.log);
const prefix = isolationPrefix();
console.log(
  prefix.length > 0
    ? 'Each agent runs in a network namespace with loopback alone.'
    : 'No network namespace here: proxies that nobody answers stand before everything but loopback.',
);

// Ended from outside, this ends what it runs.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
let faulty = false;
for (const agent of chosen) {
  console.log(`\n${agent.name} (${agent.package})`);
  const code = await runOne(agent);
  const report = await readReport(agent);
  if (code !== 0 || !report) {
    console.log(`  the run failed: ${code}`);
    faulty = true;
    continue;
  }
  for (const [version, { steps, faults }] of Object.entries(report.runs)) {
    for (const [id, { outcome, note }] of Object.entries(steps)) {
      console.log(`  v${version} ${id}: ${outcome}${note ? `, ${note}` : ''}`);
    }
    for (const fault of faults) console.log(`  v${version} FAULT ${fault}`);
    faulty ||= faults.length > 0;
  }
}
await writePage();
process.exitCode = faulty ? 1 : 0;

/** The scenario with one agent, in a process of its own; gives its exit code, or what ended it. */
function runOne(agent) {
  const program = fileURLToPath(new URL('run-one.mjs', import.meta.url));
  const [command, ...args] = [...prefix, process.execPath, program, agent.name, reportFile(agent)];
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ACP_AGENTS_ISOLATED: prefix.length > 0 ? '1' : '' },
  });
  const kill = () => child.kill('SIGKILL');
  const timer = setTimeout(kill, limitMs);
  process.once('exit', kill);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve(signal ?? code);
    });
  });
}

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
    console.log(`\nThe page is not written: ${missing.join(', ')} was not run yet.`);
    return;
  }
  await writeFile(page, agentsPage(reports, values.date));
  console.log(`\nWrote ${page}.`);
}
