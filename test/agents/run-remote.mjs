// Runs an agent behind its own server over each transport, and writes the outcome: node run-remote.mjs NAME FOLDER REPORT-FILE
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { remoteTransport, streamableHttpTransport } from '../../dist/index.js';
import { catalog, labelOf } from './catalog.mjs';
import { installedPath, nodeProgram } from './install.mjs';
import { endLeftovers } from './leftovers.mjs';
import { startMockModel } from './mock-model/server.mjs';
import { createPlace } from './place.mjs';
import { recordingsFile } from './recordings/files.mjs';
import { published } from './recordings/published.mjs';
import { startServer } from './remote/server.mjs';
import { startWire } from './remote/wire.mjs';
import { runRemotely } from './scenario/run.mjs';

const [name, folder, reportFile] = process.argv.slice(2);
const agent = catalog.find((candidate) => candidate.name === name);
const token = crypto.randomUUID();
const transports = {
  HTTP: (url, options) => streamableHttpTransport(url, options),
  WebSocket: (url, options) => remoteTransport(url.replace(/^http/, 'ws'), options),
};

/** Runs the steps over one transport, with a server and a home of its own. */
async function runOver(transport) {
  const root = join(folder, transport);
  await mkdir(root);
  const place = createPlace(root);
  const model = await startMockModel();
  const launch = agent.serve({
    installed: (path) => installedPath(labelOf(agent), path),
    node: nodeProgram,
    home: place.home,
    folder: place.project.folder,
    modelUrl: model.url,
    apiKey: 'mock',
    token,
  });
  try {
    const server = await startServer({ launch, place });
    const url = new URL(server.url);
    const wire = await startWire(Number(url.port));
    url.port = String(wire.port);
    const open = (headers = { Authorization: `Bearer ${token}` }) =>
      transports[transport](url.href, { headers });
    try {
      const served = { ...agent, promptAfterReloadMs: launch.replayAfterMs };
      const result = await runRemotely({ agent: served, place, version: 1, open, cut: wire.cut, server });
      result.faults.push(...model.failures.map((failure) => `the mock model failed: ${failure}`));
      return result;
    } finally {
      await server.kill();
      await wire.close();
    }
  } finally {
    await endLeftovers(place.mark);
    await model.close();
  }
}

const runs = {};
const traffic = [];
const allRecordings = {};
for (const transport of Object.keys(transports)) {
  const { steps, faults, losses, messages, diagnostics, recordings } = await runOver(transport);
  // Whether a stream notices a cut before its connection does is chance.
  const lasting = diagnostics.filter(({ rule }) => rule !== 'transport.stream');
  const rules = [...new Set(lasting.map(({ rule }) => rule))].sort();
  runs[transport] = { steps, faults, losses, rules };
  const kept = published({ [transport]: recordings }, join(folder, transport));
  Object.assign(allRecordings, published(kept, folder));
  traffic.push(...messages.map((entry) => ({ transport, ...entry })));
}
await writeFile(recordingsFile(reportFile), JSON.stringify(allRecordings));
await writeFile(reportFile, `${JSON.stringify({ name, runs }, null, 2)}\n`);
const lines = traffic.map((entry) => `${JSON.stringify(entry)}\n`);
await writeFile(reportFile.replace(/\.json$/, '.ndjson'), lines.join(''));
