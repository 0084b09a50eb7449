// Runs an agent behind its own server over each transport, and writes the outcome: node run-remote.mjs NAME FOLDER REPORT-FILE
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { remoteTransport } from '../../dist/index.js';
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
import { published } from './recordings/published.mjs';
import { startServer } from './remote/server.mjs';
import { startWire } from './remote/wire.mjs';
import { runRemotely } from './scenario/run.mjs';

const token = crypto.randomUUID();
const transports = {
  HTTP: (url, options) => remoteTransport(url, { ...options, WebSocket: false }),
  WebSocket: (url, options) => remoteTransport(url.replace(/^http/, 'ws'), options),
};

/** Runs the steps over one transport, with a server and a home of its own. */
async function runOver(transport, { place, model }) {
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
    return { ...result, faults: [...result.faults, ...modelFaults(model)] };
  } finally {
    await server.kill();
    await wire.close();
  }
}

const runs = {};
const traffic = [];
const allRecordings = {};
for (const transport of Object.keys(transports)) {
  const root = join(folder, transport);
  await mkdir(root);
  const { steps, faults, losses, messages, diagnostics, recordings } = await inPlace(root, (around) =>
    runOver(transport, around),
  );
  // Whether a stream notices a cut before its connection does is chance.
  const lasting = diagnostics.filter(({ rule }) => rule !== 'transport.stream');
  const rules = [...new Set(lasting.map(({ rule }) => rule))].sort();
  runs[transport] = { steps, faults, losses, rules };
  Object.assign(allRecordings, published(published({ [transport]: recordings }, root), folder));
  traffic.push(...messages.map((entry) => ({ transport, ...entry })));
}
await writeReport({ name, runs }, allRecordings);
await writeTraffic(traffic);
