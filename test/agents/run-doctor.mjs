// Runs `acp-client doctor` with one agent, without a key, and writes what it says: node run-doctor.mjs NAME FOLDER REPORT-FILE
import { writeFile } from 'node:fs/promises';
import { acpClient } from './acp-client.mjs';
import { agent, folder, inPlace, name, reportFile, settingsIn } from './agent-run.mjs';
import { runningProcesses } from './leftovers.mjs';

const timeoutMs = 240_000;

await inPlace(folder, async ({ place, model }) => {
  const launch = agent.launch(settingsIn(place, model, undefined));
  const { code, stdout, stderr } = await acpClient(
    { launch, place, timeoutMs },
    'doctor',
    '--format',
    'json',
  );
  const leftovers = runningProcesses(place.mark).map(({ command }) => command);
  const [check] = stdout === '' ? [] : JSON.parse(stdout).agents;
  await writeFile(reportFile, `${JSON.stringify({ name, code, check, stderr, leftovers }, null, 2)}\n`);
});
