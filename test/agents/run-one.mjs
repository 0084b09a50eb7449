// Runs one agent through the scenario and writes its report: node run-one.mjs NAME FOLDER REPORT-FILE
import {
  agent,
  folder,
  inPlace,
  modelFaults,
  name,
  settingsIn,
  writeReport,
  writeTraffic,
} from './agent-run.mjs';
import { versionOf } from './catalog.mjs';
import { startEditor } from './editor.mjs';
import { habits } from './habit-list.mjs';
import { endLeftovers } from './leftovers.mjs';
import { published } from './recordings/published.mjs';
import { runScenario } from './scenario/run.mjs';
import { againstSchema } from './schema-check.mjs';
import { runsIn } from './traffic.mjs';

const introductions = [];
const traffic = [];
const recordings = {};
const report = {
  name,
  package: agent.package,
  version: versionOf(agent),
  platform: `${process.platform} ${process.arch}`,
  initialize: {},
  runs: {},
};

/** What the agent answers to `initialize`. */
async function answerTo(protocolVersions, { place, launch }) {
  const editor = await startEditor({ agent, launch, place, protocolVersions });
  await editor.close();
  introductions.push(...editor.messages);
  return editor.answer;
}

/** Runs the whole scenario in one version. The report is the same for each run. */
async function scenarioIn(version, { model, ...setting }) {
  const result = await runScenario({ agent, version, ...setting });
  const { messages, diagnostics, recordings: kept, answer, ...rest } = result;
  if (version === 1) report.initialize['1'] = answer;
  const faults = [...rest.faults, ...modelFaults(model)];
  const leftovers = (await endLeftovers(setting.place.mark)).map(({ command }) => command);
  const rules = [...new Set(diagnostics.map(({ rule }) => rule))].sort();
  const runs = runsIn(messages);
  const run = { ...rest, faults, ...againstSchema(version, runs), rules };
  recordings[version] = kept;
  traffic.push(...messages.map((entry) => ({ version, ...entry })));
  const all = [...runsIn(introductions), ...runs];
  const seen = habits.filter((habit) => habit.seen?.({ agent, version, leftovers, runs: all, report: run }));
  return { ...run, habits: seen.map(({ id }) => id) };
}

try {
  await inPlace(folder, async ({ place, model }) => {
    const launchIn = (other, apiKey) => agent.launch(settingsIn(other, model, apiKey));
    const setting = { place, model, launch: launchIn(place, 'mock'), launchIn };
    report.initialize['2, 1'] = await answerTo([2, 1], setting);
    for (const version of agent.protocolVersions) report.runs[version] = await scenarioIn(version, setting);
    await writeReport(report, published(recordings, place.mark));
  });
} finally {
  await writeTraffic(traffic);
}
