// Runs one part of the suite with one agent, and writes its report: node run-part.mjs PART NAME FOLDER REPORT-FILE
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { remoteTransport } from '../../dist/index.js';
import { acpClient } from './acp-client.mjs';
import { catalog, labelOf, versionOf } from './catalog.mjs';
import { startEditor } from './editor.mjs';
import { habitsIn } from './habit-list.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers, runningProcesses } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { recordingsFile } from './recordings/files.mjs';
import { published } from './recordings/published.mjs';
import { runRemotely, runScenario, runWithTools } from './scenario/run.mjs';
import { againstSchema } from './schema-check.mjs';
import { startServer, startWire } from './served-agent.mjs';
import { runsIn } from './traffic.mjs';

const [part, name, folder, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);

/** The messages of the part, also if it fails, and the recordings of its steps, by run. */
const traffic = [];
const recordings = {};

/** What `launch` and `serve` of the agent are given. `apiKey` is `undefined` for none. */
const settingsIn = ({ home }, model, apiKey) => ({
  installed: (path) => installedPath(labelOf(agent), path),
  node: nodeProgram,
  home,
  modelUrl: model.url,
  apiKey,
});

/** Runs `use` with a place in a folder and a model, and afterwards ends what the agent left running. */
async function inPlace(root, use) {
  const place = createPlace(root);
  const model = await startMockModel();
  try {
    return await use({ place, model });
  } finally {
    await endLeftovers(place.mark);
    await model.close();
  }
}

const commandsOf = (processes) => processes.map(({ command }) => command);
const rulesIn = (diagnostics) => [...new Set(diagnostics.map(({ rule }) => rule))].sort();

/** Keeps the messages and the recordings of a run, and returns its faults with those of the model. */
function keep(kind, run, result, { failures }) {
  traffic.push(...result.messages.map((entry) => ({ [kind]: run, ...entry })));
  recordings[run] = result.recordings;
  return [...result.faults, ...failures.splice(0).map((failure) => `the mock model failed: ${failure}`)];
}

/** The whole scenario in each version of the protocol. */
async function scenario({ place, model }) {
  const launchIn = (other, apiKey) => agent.launch(settingsIn(other, model, apiKey));
  const launch = launchIn(place, 'mock');
  const introduction = await startEditor({ agent, launch, place, protocolVersions: [2, 1] });
  await introduction.close();
  const initialize = { '2, 1': introduction.answer };
  const runs = {};
  for (const version of agent.protocolVersions) {
    const result = await runScenario({ agent, version, place, launch, launchIn });
    const { messages, diagnostics, recordings: _, answer, ...rest } = result;
    if (version === 1) initialize['1'] = answer;
    const faults = keep('version', version, result, model);
    const leftovers = commandsOf(await endLeftovers(place.mark));
    const sent = runsIn(messages);
    const report = { ...rest, faults, ...againstSchema(version, sent), rules: rulesIn(diagnostics) };
    const about = { agent, version, leftovers, runs: [...runsIn(introduction.messages), ...sent] };
    runs[version] = { ...report, habits: habitsIn({ ...about, report }) };
  }
  const platform = `${process.platform} ${process.arch}`;
  return { name, package: agent.package, version: versionOf(agent), platform, initialize, runs };
}

/** The tools of the editor, in each version of the protocol. */
async function tools({ place, model }) {
  const launch = agent.launch(settingsIn(place, model, 'mock'));
  const runs = {};
  for (const version of agent.protocolVersions) {
    const result = await runWithTools({ agent, launch, place, version, model });
    await endLeftovers(place.mark);
    runs[version] = { steps: result.steps, faults: keep('version', version, result, model) };
  }
  return { name, runs };
}

/** What `acp-client doctor` says without a key. */
async function doctor({ place, model }) {
  const launch = agent.launch(settingsIn(place, model, undefined));
  const setting = { launch, place, timeoutMs: 240_000 };
  const { code, stdout, stderr } = await acpClient(setting, 'doctor', '--format', 'json');
  const leftovers = commandsOf(runningProcesses(place.mark));
  const [check] = stdout === '' ? [] : JSON.parse(stdout).agents;
  return { name, code, check, stderr, leftovers };
}

const transports = {
  HTTP: (url, options) => remoteTransport(url, { ...options, WebSocket: false }),
  WebSocket: (url, options) => remoteTransport(url.replace(/^http/, 'ws'), options),
};

/** The agent behind its own server over each transport, each time with a server and a home of its own. */
async function remote() {
  const runs = {};
  for (const transport of Object.keys(transports)) {
    const root = join(folder, transport);
    await mkdir(root);
    const result = await inPlace(root, (around) => runOver(transport, around));
    recordings[transport] = published({ [transport]: recordings[transport] }, root)[transport];
    // Whether a stream notices a cut before its connection does is chance.
    const lasting = result.diagnostics.filter(({ rule }) => rule !== 'transport.stream');
    const { steps, faults, losses } = result;
    runs[transport] = { steps, faults, losses, rules: rulesIn(lasting) };
  }
  return { name, runs };
}

async function runOver(transport, { place, model }) {
  const token = crypto.randomUUID();
  const given = { ...settingsIn(place, model, 'mock'), folder: place.project.folder, token };
  const launch = agent.serve(given);
  const server = await startServer({ launch, place });
  const url = new URL(server.url);
  const wire = await startWire(Number(url.port));
  url.port = String(wire.port);
  const open = (headers = { Authorization: `Bearer ${token}` }) =>
    transports[transport](url.href, { headers });
  try {
    const served = { ...agent, promptAfterReloadMs: launch.replayAfterMs };
    const result = await runRemotely({ agent: served, place, version: 1, open, cut: wire.cut, server });
    return { ...result, faults: keep('transport', transport, result, model) };
  } finally {
    await server.kill();
    await wire.close();
  }
}

const parts = {
  scenario: () => inPlace(folder, scenario),
  tools: () => inPlace(folder, tools),
  doctor: () => inPlace(folder, doctor),
  remote,
};

try {
  const report = await parts[part]();
  await writeFile(recordingsFile(reportFile), JSON.stringify(published(recordings, folder)));
  await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`);
} finally {
  const lines = traffic.map((entry) => `${JSON.stringify(entry)}\n`);
  await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
}
