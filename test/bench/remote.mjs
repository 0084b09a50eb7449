import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { corpora } from './corpora.mjs';
import { writeCorpus } from './corpus-file.mjs';
import { runChild, summary } from './run-child.mjs';
import { startProgram } from './start-program.mjs';

/** The ways to an agent. HTTP/2 has TLS, because no client speaks it without. */
const ways = { stdio: false, websocket: false, http1: false, http2: true };

/** The time that a byte takes to the server or back, in milliseconds. */
const delayMs = 25;

const firstEntries = 50;
const sessionCount = 200;
const chunksOfTurn = 20;

/** Agents on other machines: replays over each way, the first screen over a slow network, many sessions. */
export async function remote(context, wanted) {
  if (!wanted) return undefined;
  const tls = makeCertificate(context.folder);
  const run = (measurement, job, more) => runRemote({ tls, ...more }, measurement, job);
  const corpus = writeCorpus(
    context.folder,
    'v1-replay',
    Math.ceil(corpora['v1-replay'].updates * context.scale),
  );
  const results = {
    updates: corpus.updates,
    bytes: corpus.bytes,
    roundTripMs: 2 * delayMs,
    replay: await replays(context, corpus, run),
    firstScreen: await firstScreens(context, corpus, run),
    sessions: await manySessions(context, run),
  };
  await rm(corpus.path);
  return results;
}

async function replays({ runs, say }, corpus, run) {
  const results = [];
  for (const way of ['stdio', 'websocket', 'http1']) {
    const samples = { floor: [], ours: [], official: [] };
    for (let count = 0; count < runs; count++) {
      for (const client of Object.keys(samples)) {
        if (client === 'official' && count > 0) continue;
        const sample = await run('replay', { client, corpus }, { way });
        say(`remote replay ${way} ${client}: ${sample.ms.toFixed(0)} ms`);
        samples[client].push(sample);
      }
    }
    const of = (key) =>
      Object.fromEntries(
        Object.entries(samples).map(([client, all]) => [client, summary(all.map((sample) => sample[key]))]),
      );
    results.push({ way, ms: of('ms'), cpuMs: of('cpuMs'), peakBytes: of('peakBytes') });
  }
  return results;
}

async function firstScreens({ runs, say }, corpus, run) {
  const results = [];
  for (const way of ['websocket', 'http1', 'http2']) {
    for (const client of ['ours', 'official']) {
      const samples = [];
      for (let count = 0; count < (client === 'official' ? 1 : runs); count++) {
        const job = { client, corpus, entries: firstEntries };
        samples.push(await run('first-screen', job, { way, network: 'slow' }));
      }
      const result = { way, client };
      for (const key of Object.keys(samples[0])) result[key] = summary(samples.map((sample) => sample[key]));
      say(`remote first screen ${way} ${client}: ${result.readableMs.median.toFixed(0)} ms`);
      results.push(result);
    }
  }
  return results;
}

async function manySessions({ scale, say }, run) {
  const sessions = Math.ceil(sessionCount * scale);
  const results = [];
  for (const way of ['websocket', 'http2']) {
    for (const client of ['ours', 'official']) {
      const sample = await run('sessions', { client, sessions, chunks: chunksOfTurn }, { way });
      say(`remote sessions ${way} ${client}: ${JSON.stringify(sample)}`);
      results.push({ way, client, sessions, chunks: chunksOfTurn, ...sample });
    }
  }
  return results;
}

/** Makes a measurement with an agent that is new, as a child process or behind a server. */
async function runRemote({ way, tls, network }, measurement, job) {
  if (way === 'stdio') return runChild(measurement, job);
  const histories = job.corpus && { [job.corpus.sessionId]: job.corpus.path };
  const isSecure = ways[way];
  const server = await startProgram('remote-server.mjs', {
    version: job.corpus?.version ?? 1,
    histories,
    ...(isSecure && { tls }),
  });
  const slow = network && (await startProgram('slow-network.mjs', { port: server.port, delayMs }));
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${(slow ?? server).port}/acp`;
  const ca = isSecure ? readFileSync(tls.cert, 'utf8') : undefined;
  try {
    return await runChild(measurement, { ...job, remote: { way, url, ca } });
  } finally {
    await Promise.all([slow?.end(), server.end()]);
  }
}

function makeCertificate(folder) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  });
  return { key, cert };
}
