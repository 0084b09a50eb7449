// Runs `acp-client doctor` with one agent, without a key, and writes what it says: node run-doctor.mjs NAME FOLDER REPORT-FILE
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { catalog, labelOf } from './catalog.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { runningProcesses } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const limitMs = 240_000;

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

/** Resolves to `{ code, stdout, stderr }`. `code` is `null` after the time limit. */
function doctor() {
  const args = [program, 'doctor', '--json', '--', launch.command, ...launch.args];
  const options = {
    cwd: place.project.folder,
    env: { ...place.environment, ...launch.env },
    timeout: limitMs,
    maxBuffer: 16 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    child.stdin.end();
  });
}

try {
  const { code, stdout, stderr } = await doctor();
  const leftovers = runningProcesses(place.mark).map(({ command }) => command);
  const [check] = stdout === '' ? [] : JSON.parse(stdout).agents;
  await writeFile(reportFile, `${JSON.stringify({ name, code, check, stderr, leftovers }, null, 2)}\n`);
} finally {
  await model.close();
}
