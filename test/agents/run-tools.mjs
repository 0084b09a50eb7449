// Runs one agent with tools of the editor, and writes the outcome: node run-tools.mjs NAME FOLDER REPORT-FILE
import { writeFile } from 'node:fs/promises';
import { catalog, labelOf } from './catalog.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { recordingsFile } from './recordings/files.mjs';
import { published } from './recordings/published.mjs';
import { runWithTools } from './scenario/run.mjs';

const [name, folder, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);
const place = createPlace(folder);
const model = await startMockModel();
const launch = agent.launch({
  installed: (path) => installedPath(labelOf(agent), path),
  node: nodeProgram,
  home: place.home,
  modelUrl: model.url,
  apiKey: 'mock',
});

const runs = {};
const traffic = [];
const recordings = {};
try {
  for (const version of agent.protocolVersions) {
    const {
      steps,
      faults,
      messages,
      recordings: kept,
    } = await runWithTools({ agent, launch, place, version, model });
    faults.push(...model.failures.splice(0).map((failure) => `the mock model failed: ${failure}`));
    await endLeftovers(place.mark);
    runs[version] = { steps, faults };
    recordings[version] = kept;
    traffic.push(...messages.map((entry) => ({ version, ...entry })));
  }
  await writeFile(recordingsFile(reportFile), JSON.stringify(published(recordings, place.mark)));
  await writeFile(reportFile, `${JSON.stringify({ name, runs }, null, 2)}\n`);
} finally {
  await endLeftovers(place.mark);
  await model.close();
  const lines = traffic.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
}
