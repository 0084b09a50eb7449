// The agents suite: node test/agents/main.mjs [--write] [--latest] [--page | --doctor | --tools | --remote] [NAME…]
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { spawn } from '../support/spawn.mjs';
import { catalog, labelOf, withKnownVariation } from './catalog.mjs';
import { cacheFolder, install } from './install.mjs';
import { runLatest } from './latest.mjs';
import { endLeftovers } from './leftovers.mjs';
import { agentsPage } from './page.mjs';
import { isolationPrefix } from './place.mjs';
import { readKept, recordingName, recordingsFile, writeRecordings } from './recordings/files.mjs';
import { pageDifferences, resultTables, versionOnPage } from './result-tables.mjs';
import { allSteps, remoteSteps } from './scenario/steps.mjs';

const limitMs = 20 * 60_000;
const reportFolder = join(cacheFolder, 'reports');

/** What is printed of the report of each part. Each returns whether nothing is wrong. */
const isWell = { scenario: print, tools: print, remote: print, doctor: printDoctor };
const parts = Object.keys(isWell);
/** Each part with one agent is a program of its own, with a report in a file of its own. */
const program = fileURLToPath(new URL('run-part.mjs', import.meta.url));
const reportFile = (agent, part) =>
  join(reportFolder, `${labelOf(agent)}${part === 'scenario' ? '' : `.${part}`}.json`);
const page = fileURLToPath(new URL('../../docs/agent-results.md', import.meta.url));
/** All results as tables. */
const results = fileURLToPath(new URL('results.md', import.meta.url));

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    // The newest versions on npm, where the page has others.
    latest: { type: 'boolean', default: false },
    // Only the page, from the last run of each agent.
    page: { type: 'boolean', default: false },
    // Only what `acp-client doctor` says.
    doctor: { type: 'boolean', default: false },
    // Only the agents' own servers for other machines.
    remote: { type: 'boolean', default: false },
    // Only the tools of the editor. The other results are those of the last run of each agent.
    tools: { type: 'boolean', default: false },
  },
});
const unknown = names.filter((name) => !catalog.some((agent) => agent.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no agent ${unknown.join(', ')} here; there are ${catalog.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = names.length === 0 ? catalog : catalog.filter(({ name }) => names.includes(name));

// If it is interrupted, the suite first ends what it runs.
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort());
const prefix = isolationPrefix();
try {
  if (values.latest) process.exitCode = await runLatest(chosen, import.meta.filename, partsAsked());
  else process.exitCode = (await runChosenPart()) ? 0 : 1;
} catch (error) {
  if (!interruption.signal.aborted) throw error;
  console.log('\nInterrupted. The page was not written.');
  process.exitCode = 130;
}

/** The other options, for the run with the newest versions. */
function partsAsked() {
  return Object.entries(values).flatMap(([name, isAsked]) =>
    isAsked && name !== 'latest' ? [`--${name}`] : [],
  );
}

function runChosenPart() {
  if (values.page) return writePage();
  const asked = parts.filter((part) => values[part]);
  return runParts(asked.length > 0 ? asked : parts);
}

async function prepare() {
  await mkdir(reportFolder, { recursive: true });
  await install(chosen, { say: console.log, signal: interruption.signal });
  console.log(
    prefix.length > 0
      ? 'Each agent runs in a network namespace with loopback alone.'
      : 'There are no network namespaces here. The agents get a proxy setting that leads nowhere.',
  );
}

/** Runs these parts with the chosen agents, and compares the page or writes it. Resolves to whether all is well. */
async function runParts(asked) {
  await prepare();
  let well = true;
  for (const agent of chosen) {
    interruption.signal.throwIfAborted();
    console.log(`\n${agent.name} (${agent.package})`);
    const begun = performance.now();
    // At once, because they wait for most of the time. Each has a home of its own.
    const possible = asked.filter((part) => part !== 'remote' || agent.serve);
    const reports = await Promise.all(possible.map((part) => runPart(agent, part)));
    for (const [index, part] of possible.entries()) {
      const report = reports[index];
      well = report !== undefined && (await isWell[part](report, agent)) && well;
    }
    console.log(`  ${agent.name}: ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  return (values.write ? await writePage() : await comparePage()) && well;
}

/** Runs a part with an agent. Resolves to its report; `undefined` if there is none. */
async function runPart(agent, part) {
  const file = reportFile(agent, part);
  for (const path of [file, recordingsFile(file)]) await rm(path, { force: true });
  const code = await runInPlace(agent, part, file);
  interruption.signal.throwIfAborted();
  const report = await readJson(file);
  if (!report) console.log(`  the run of the ${part} failed: ${code}`);
  return report;
}

/** Prints what the doctor says of an agent. Resolves to whether it is right. */
async function printDoctor(result, agent) {
  const { runs = {} } = (await readReport(agent, 'scenario')) ?? {};
  const faults = doctorFaults(
    result,
    Object.values(runs).map(({ steps }) => steps['missing-key']?.note ?? ''),
  );
  console.log(`  the doctor: login ${result.check?.login}, ${result.check?.loginReason}`);
  for (const fault of faults) console.log(`  FAULT the doctor: ${fault}`);
  return faults.length === 0;
}

/**
 * What is wrong with what the doctor says.
 *
 * @param result - The report of the part.
 * @param withoutKey - What a start without a key ended with, in each version.
 */
function doctorFaults({ code, check, stderr, leftovers }, withoutKey) {
  if (!check) return [`the doctor failed, ${code}: ${stderr.slice(-300)}`];
  const { found, login, problems, protocolVersions } = check;
  const refuses = withoutKey.some((note) => note.startsWith('session/new ends with error -32000'));
  const faults = [
    [!found, 'the program is not found'],
    [protocolVersions.length === 0, `it does not connect: ${problems[0]?.message}`],
    [login === 'yes', `the login is yes without a key: ${check.loginReason}`],
    [refuses && login !== 'no', `the login is ${login}, and the agent refuses a session without one`],
    [
      code !== (login === 'no' ? 4 : 0),
      `exit code ${code}: ${problems.map(({ message }) => message).join(' ')}`,
    ],
    [leftovers.length > 0, `left running: ${leftovers.join(', ')}`],
  ];
  return faults.flatMap(([isFault, what]) => (isFault ? [what] : []));
}

/** Prints the outcome of each step; returns whether nothing is wrong with this library. */
function print({ runs }) {
  for (const [version, { steps, faults }] of Object.entries(runs)) {
    for (const [id, { outcome, note }] of Object.entries(steps)) {
      console.log(`  ${labelOfRun(version)} ${id}: ${outcome}${note ? `, ${note}` : ''}`);
    }
    for (const fault of faults) console.log(`  ${labelOfRun(version)} FAULT ${fault}`);
  }
  return Object.values(runs).every(({ faults }) => faults.length === 0);
}

/** A run is that of a version of the protocol, or of a transport. */
function labelOfRun(run) {
  return /^\d+$/.test(run) ? `v${run}` : run;
}

/** Runs an agent in a new folder, and afterwards removes its processes and files. */
async function runInPlace(agent, part, report) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `acp-agents-${agent.name}-`)));
  try {
    return await runOne(agent, folder, part, report);
  } finally {
    await endLeftovers(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 });
  }
}

/** Runs one part with one agent. Resolves to its exit code or signal. */
function runOne(agent, folder, part, report) {
  const run = [process.execPath, program, part, agent.name, folder, report];
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

/** A declaration, because the suite runs before this line. */
function readReport(agent, part) {
  return readJson(reportFile(agent, part));
}

/** The report of the agent's last run, with those of the other parts; `undefined` if there is none. */
async function readReports(agent) {
  const [report, tools] = await Promise.all(['scenario', 'tools'].map((part) => readReport(agent, part)));
  if (!report) return undefined;
  const own = withKnownVariation(agent, withTools(report, tools));
  const remote = agent.serve && (await readReport(agent, 'remote'));
  return { ...own, doctor: await readReport(agent, 'doctor'), remote };
}

/** A report of an agent, with the steps and the faults of its run with tools of the editor. */
function withTools(report, tools) {
  const runs = Object.entries(report.runs).map(([version, run]) => {
    const { steps = {}, faults = [] } = tools?.runs[version] ?? {};
    return [version, { ...run, steps: { ...run.steps, ...steps }, faults: [...run.faults, ...faults] }];
  });
  return { ...report, runs: Object.fromEntries(runs) };
}

/** Writes what the last runs of each agent recorded. */
async function writeAllRecordings() {
  const recordings = {};
  for (const agent of catalog) {
    const runs = {};
    recordings[agent.name] = runs;
    const kept = await Promise.all(
      ['scenario', 'tools', 'remote'].map((part) => readKept(reportFile(agent, part))),
    );
    for (const [run, texts] of kept.flatMap(Object.entries)) {
      const label = labelOfRun(run);
      const name = recordingName(`${agent.name} ${label}`);
      const known = label === run ? remoteSteps : allSteps;
      const steps = Object.entries(texts).map(([step, text]) => {
        const { title } = known.find(({ id }) => id === step);
        return { step, title, text };
      });
      runs[name] = [...(runs[name] ?? []), ...steps];
    }
  }
  writeRecordings(recordings);
}

async function readJson(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Prints how the page differs from these runs. Resolves to whether it does not: what another version of an agent does in
 * another way is a change of the agent, and no difference.
 */
async function comparePage() {
  const reports = await Promise.all(chosen.map(readReports));
  const complete = reports.filter((report) => report !== undefined);
  const written = (await readFile(page, 'utf8')) + (await readFile(results, 'utf8'));
  const generated = agentsPage(complete) + resultTables(complete);
  let count = 0;
  for (const { name, version } of complete) {
    const isSame = [version, undefined].includes(versionOnPage(written, name));
    for (const difference of pageDifferences(written, generated, [name])) {
      console.log(isSame ? `DIFFERENCE ${difference}` : `CHANGED in ${version}: ${difference}`);
      if (isSame) count++;
    }
  }
  // Text outside of the parts of the agents.
  if (complete.length === catalog.length && count === 0 && written !== generated) {
    console.log('DIFFERENCE the text around the results differs: run the suite with --write');
    count++;
  }
  console.log(`\n${count} differences from ${page}.`);
  return count === 0;
}

/** Writes the page from the last run of each agent; resolves to `false` if an agent was not run yet. */
async function writePage() {
  const reports = await Promise.all(catalog.map(readReports));
  const missing = catalog.filter((_agent, index) => !reports[index]).map(({ name }) => name);
  if (missing.length > 0) {
    console.log(`\nThe page is not written: there is no report of ${missing.join(', ')}.`);
    return false;
  }
  await writeFile(page, agentsPage(reports));
  await writeFile(results, resultTables(reports));
  await writeAllRecordings();
  console.log(`\nWrote ${page}.`);
  return true;
}
