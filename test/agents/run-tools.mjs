// Runs one agent with tools of the editor and writes its report: node run-tools.mjs NAME FOLDER REPORT-FILE
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
import { endLeftovers } from './leftovers.mjs';
import { published } from './recordings/published.mjs';
import { runWithTools } from './scenario/run.mjs';

const runs = {};
const traffic = [];
const recordings = {};
try {
  await inPlace(folder, async ({ place, model }) => {
    const launch = agent.launch(settingsIn(place, model, 'mock'));
    for (const version of agent.protocolVersions) {
      const result = await runWithTools({ agent, launch, place, version, model });
      await endLeftovers(place.mark);
      runs[version] = { steps: result.steps, faults: [...result.faults, ...modelFaults(model)] };
      recordings[version] = result.recordings;
      traffic.push(...result.messages.map((entry) => ({ version, ...entry })));
    }
    await writeReport({ name, runs }, published(recordings, place.mark));
  });
} finally {
  await writeTraffic(traffic);
}
