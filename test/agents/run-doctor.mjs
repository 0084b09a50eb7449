// Runs `acp-client doctor` with one agent, without a key, and writes what it says: node run-doctor.mjs NAME FOLDER REPORT-FILE
import { writeFile } from 'node:fs/promises';
import { acpClient } from './acp-client.mjs';
import { catalog, labelOf } from './catalog.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { runningProcesses } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';

const timeoutMs = 240_000;

const [name, folder, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);
const place = createPlace(folder);
const model = await startMockModel();
const launch = agent.launch({
  installed: (path) => installedPath(labelOf(agent), path),
  node: nodeProgram,
  home: place.home,
  modelUrl: model.url,
  apiKey: undefined,
});

try {
  const { code, stdout, stderr } = await acpClient({ launch, place, timeoutMs }, 'doctor', '--json');
  const leftovers = runningProcesses(place.mark).map(({ command }) => command);
  const [check] = stdout === '' ? [] : JSON.parse(stdout).agents;
  await writeFile(reportFile, `${JSON.stringify({ name, code, check, stderr, leftovers }, null, 2)}\n`);
} finally {
  await model.close();
}
