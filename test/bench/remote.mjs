import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withCorpus } from './corpora.mjs';
import { eachOf, runChild, runInTurns } from './run-child.mjs';

/** Starts a program of `programs`, which prints its port as its first line and ends with its input. */
async function startProgram(name, job) {
  const path = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const program = spawn(process.execPath, [path, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(program, 'exit');
  const line = once(createInterface({ input: program.stdout }), 'line');
  const failed = exited.then(([code]) => {
    throw new Error(`${name} ended with the code ${code}.`);
  });
  const [port] = await Promise.race([line, failed]);
  failed.catch(() => {});
  return {
    port: Number(port),
    async end() {
      program.stdin.end();
      await exited;
    },
  };
}

/** The ways to an agent. HTTP/2 has TLS, because no client speaks it without. */
const ways = { stdio: false, websocket: false, http1: false, http2: true };

/** The time that a byte takes to the server or back, in milliseconds. */
const delayMs = 25;

const firstEntries = 50;
const sessionCount = 200;
const chunksOfTurn = 20;

/** Agents on other machines: replays over each way, the first screen over a slow network, many sessions. */
export async function remote(context) {
  const tls = makeCertificate(context.folder);
  const run = (measurement, job, more) => runRemote({ tls, ...more }, measurement, job);
  return withCorpus(context, 'v1-replay', async (corpus) => ({
    updates: corpus.updates,
    bytes: corpus.bytes,
    roundTripMs: 2 * delayMs,
    replay: await replays(context, corpus, run),
    firstScreen: await firstScreens(context, corpus, run),
    sessions: await manySessions(context, run),
  }));
}

const clients = { ours: { client: 'ours' }, official: { client: 'official' } };

async function replays({ runs }, corpus, run) {
  const results = [];
  for (const way of ['stdio', 'websocket', 'http1']) {
    const found = await runInTurns(runs, { floor: { client: 'floor' }, ...clients }, (job) =>
      run('replay', { ...job, corpus }, { way }),
    );
    results.push({
      way,
      ms: eachOf(found, 'ms'),
      cpuMs: eachOf(found, 'cpuMs'),
      peakBytes: eachOf(found, 'peakBytes'),
    });
  }
  return results;
}

async function firstScreens({ runs }, corpus, run) {
  const results = [];
  for (const way of ['websocket', 'http1', 'http2']) {
    const found = await runInTurns(runs, clients, (job) =>
      run('first-screen', { ...job, corpus, entries: firstEntries }, { way, network: 'slow' }),
    );
    for (const [client, times] of Object.entries(found)) results.push({ way, client, ...times });
  }
  return results;
}

async function manySessions({ scale }, run) {
  const sessions = Math.ceil(sessionCount * scale);
  const results = [];
  for (const way of ['websocket', 'http2']) {
    for (const client of Object.keys(clients)) {
      const sample = await run('sessions', { client, sessions, chunks: chunksOfTurn }, { way });
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
