// Runs one agent through the scenario and writes its report: node run-one.mjs NAME REPORT-FILE
import { writeFile } from 'node:fs/promises';
import { catalog, labelOf, versionOf } from './catalog.mjs';
import { startEditor } from './editor.mjs';
import { habits } from './habit-list.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { runScenario } from './scenario/run.mjs';
import { runsIn } from './traffic.mjs';

const [name, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);
const place = createPlace(name);
const model = await startMockModel();
const launch = agent.launch({
  installed: (path) => installedPath(labelOf(agent), path),
  node: nodeProgram,
  home: place.home,
  modelUrl: model.url,
});

/** Connects, notes what the agent answers, and ends. */
async function answerTo(protocolVersions) {
  const editor = await startEditor({ agent, launch, place, protocolVersions });
  const { protocolVersion, dialect, agentInfo, features } = editor.connection;
  await editor.close();
  return { protocolVersion, dialect, agentInfo, features };
}

/** The whole scenario in one version, as data that does not change from run to run. */
async function scenarioIn(version) {
  const { messages, diagnostics, ...result } = await runScenario({ agent, launch, place, version });
  const leftovers = (await endLeftovers(place.mark)).map(({ command }) => command);
  const rules = [...new Set(diagnostics.map(({ rule }) => rule))].sort();
  const facts = { agent, version, leftovers, runs: runsIn(messages), report: { ...result, rules } };
  const seen = habits.filter((habit) => habit.seen?.(facts)).map(({ id }) => id);
  return { messages, run: { ...result, rules, habits: seen } };
}

const report = { name, package: agent.package, version: versionOf(agent), initialize: {}, runs: {} };
const traffic = [];
try {
  for (const offered of [[2, 1], [1]]) report.initialize[offered.join(', ')] = await answerTo(offered);
  for (const version of agent.protocolVersions) {
    const { messages, run } = await scenarioIn(version);
    report.runs[version] = run;
    traffic.push(...messages.map((entry) => ({ version, ...entry })));
  }
} finally {
  await endLeftovers(place.mark);
  await model.close();
  await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`);
  const lines = traffic.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
  place.remove();
}
