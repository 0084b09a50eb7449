import { writeFile } from 'node:fs/promises';
import { catalog, labelOf } from './catalog.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { recordingsFile } from './recordings/files.mjs';

// What the programs of the suite that run one agent share: node PROGRAM NAME FOLDER REPORT-FILE

export const [name, folder, reportFile] = process.argv.slice(2);
export const agent = catalog.find((candidate) => candidate.name === name);

/** What `launch` and `serve` of the agent are given. `apiKey` is `undefined` for none. */
export const settingsIn = ({ home }, model, apiKey) => ({
  installed: (path) => installedPath(labelOf(agent), path),
  node: nodeProgram,
  home,
  modelUrl: model.url,
  apiKey,
});

/** Runs `use` with a place in a folder and a model, and afterwards ends what the agent left running. */
export async function inPlace(root, use) {
  const place = createPlace(root);
  const model = await startMockModel();
  try {
    return await use({ place, model });
  } finally {
    await endLeftovers(place.mark);
    await model.close();
  }
}

/** The faults of the model since they were last asked for, as faults of the suite. */
export const modelFaults = ({ failures }) =>
  failures.splice(0).map((failure) => `the mock model failed: ${failure}`);

export async function writeReport(report, recordings) {
  await writeFile(recordingsFile(reportFile), JSON.stringify(recordings));
  await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`);
}

/** Writes the messages of a run, also of one that failed. */
export async function writeTraffic(entries) {
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
}
