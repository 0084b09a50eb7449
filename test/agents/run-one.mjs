// Runs one agent through the scenario and writes its report: node run-one.mjs NAME FOLDER REPORT-FILE
import { writeFile } from 'node:fs/promises';
import { catalog, labelOf, versionOf } from './catalog.mjs';
import { startEditor } from './editor.mjs';
import { habits } from './habit-list.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { recordingsFile } from './recordings/files.mjs';
import { published } from './recordings/published.mjs';
import { runScenario } from './scenario/run.mjs';
import { againstSchema } from './schema-check.mjs';
import { runsIn } from './traffic.mjs';

const [name, folder, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);
const place = createPlace(folder);
const model = await startMockModel();
const launch = launchIn(place, 'mock');

/** Writes the agent's configuration into a home, and returns its command. `apiKey` is `undefined` for none. */
function launchIn({ home }, apiKey) {
  return agent.launch({
    installed: (path) => installedPath(labelOf(agent), path),
    node: nodeProgram,
    home,
    modelUrl: model.url,
    apiKey,
  });
}

const introductions = [];

/** What the agent answers to `initialize`. */
async function answerTo(protocolVersions) {
  const editor = await startEditor({ agent, launch, place, protocolVersions });
  const { protocolVersion, dialect, agentInfo, features } = editor.connection;
  await editor.close();
  introductions.push(...editor.messages);
  return { protocolVersion, dialect, agentInfo, features };
}

/** Runs the whole scenario in one version. The report is the same for each run. */
async function scenarioIn(version) {
  const {
    messages,
    diagnostics,
    recordings: kept,
    ...result
  } = await runScenario({ agent, launch, launchIn, place, version });
  result.faults.push(...model.failures.splice(0).map((failure) => `the mock model failed: ${failure}`));
  const leftovers = (await endLeftovers(place.mark)).map(({ command }) => command);
  const rules = [...new Set(diagnostics.map(({ rule }) => rule))].sort();
  const runs = runsIn(messages);
  const run = { ...result, ...againstSchema(version, runs), rules };
  recordings[version] = kept;
  const all = [...runsIn(introductions), ...runs];
  const seen = habits.filter((habit) => habit.seen?.({ agent, version, leftovers, runs: all, report: run }));
  return { messages, run: { ...run, habits: seen.map(({ id }) => id) } };
}

const report = {
  name,
  package: agent.package,
  version: versionOf(agent),
  platform: `${process.platform} ${process.arch}`,
  initialize: {},
  runs: {},
};
const traffic = [];
const recordings = {};
try {
  for (const offered of [[2, 1], [1]]) report.initialize[offered.join(', ')] = await answerTo(offered);
  for (const version of agent.protocolVersions) {
    const { messages, run } = await scenarioIn(version);
    report.runs[version] = run;
    traffic.push(...messages.map((entry) => ({ version, ...entry })));
  }
  await writeFile(recordingsFile(reportFile), JSON.stringify(published(recordings, place.mark)));
  await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await endLeftovers(place.mark);
  await model.close();
  const lines = traffic.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
}
