// An editor that an agent sends too much: memory.mjs <scenario> <folder>. Bundled, and run with --expose-gc.
// Writes one line of JSON: by how many MiB its memory grew at the most, and while it was held.
import { mkdirSync, writeFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, ndjsonTransport } from '../../../../src/entries/index.ts';
import { nodeFileSystem } from '../../../../src/entries/node.ts';

const [scenario, folder] = process.argv.slice(2);
const mebibyte = 2 ** 20;
const sessionId = 's1';

const fromAgent = new PassThrough();
let isReading = true;
const toAgent = new Writable({
  write(chunk, _encoding, done) {
    if (!isReading) return;
    for (const line of String(chunk).split('\n').filter(Boolean)) receive(JSON.parse(line));
    done();
  },
});
const waiting = [];
const send = (message) => fromAgent.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answered = new Map();
/** How many sessions the editor has asked for. */
let requests = 0;
function receive({ id, method, result, error }) {
  if (method === 'session/new' || method === 'session/load') requests++;
  if (method === '_last') send({ id, result: {} });
  if (method === 'initialize')
    send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
  else if (method === 'session/new') {
    if (scenario === 'updates') waiting.push(() => send({ id, result: { sessionId } }));
    else send({ id, result: { sessionId } });
  } else if (method === undefined) answered.set(id, error ?? result);
}

let running = 0;
let most = 0;
const handlers = {
  ...nodeFileSystem({ roots: [folder] }),
  requestPermission: async () => {
    most = Math.max(most, ++running);
    await new Promise(() => {});
  },
};

const used = () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / mebibyte;
};
let peak = 0;
const sample = () => {
  peak = Math.max(peak, process.memoryUsage().rss / mebibyte);
};
setInterval(sample, 10).unref();

const scenarios = {
  /** 400 updates of a mebibyte for a session whose call is not answered. */
  async updates() {
    const text = 'x'.repeat(mebibyte);
    const content = { type: 'text', text };
    for (let n = 0; n < 400; n++) {
      send({
        method: 'session/update',
        params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } },
      });
      await sleep(1);
    }
    await sleep(500);
  },
  /** 60 reads of a file of 16 MiB, whose answers are not read. */
  async answers() {
    const path = `${folder}/large.txt`;
    writeFileSync(path, 'x'.repeat(16 * mebibyte));
    isReading = false;
    for (let id = 0; id < 60; id++) {
      send({ id: `r${id}`, method: 'fs/read_text_file', params: { sessionId, path } });
    }
    await connection.closed;
  },
  /** 5000 permissions that are withdrawn, whose handlers go on. */
  async handlers() {
    for (let n = 0; n < 5000; n++) {
      const id = `r${n}`;
      const toolCall = { toolCallId: 't', title: 'x'.repeat(10_000) };
      const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }];
      send({ id, method: 'session/request_permission', params: { sessionId, toolCall, options } });
      send({ method: '$/cancel_request', params: { requestId: id } });
    }
    while (answered.size < 5000) await sleep(10);
  },
  /** 4,000 calls of 10 KB that are never answered. The time is up for half of them, and the others are aborted. */
  async calls() {
    const call = async (n) => {
      const control = new AbortController();
      const text = Buffer.alloc(10_000, 65 + (n % 26)).toString('latin1');
      const isTimed = n % 2 === 0;
      const limits = isTimed ? { timeoutMs: 1 } : { signal: control.signal };
      const answer = connection.request('_x', { text }, limits);
      if (!isTimed) setImmediate(() => control.abort());
      await answer.catch(() => {});
    };
    for (let n = 0; n < 4_000; n += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => call(n + index)));
    }
    await connection.request('_last', {});
  },
  /** 2,000 loads that are aborted and never answered, each of another session. */
  async loads() {
    for (let n = 0; n < 2000; n++) {
      const control = new AbortController();
      const load = connection.loadSession({ sessionId: `s${n}`, cwd: folder }, { signal: control.signal });
      while (requests < n + 2) await sleep(0);
      control.abort();
      await load.catch(() => {});
    }
    await connection.request('_last', {});
  },
};

mkdirSync(folder, { recursive: true });
const connecting = connect(ndjsonTransport(fromAgent, toAgent), {
  clientInfo: { name: 'test', version: '0' },
  handlers,
});
const connection = await connecting;
const opening = connection.newSession({ cwd: folder });
opening.catch(() => {});
if (scenario !== 'updates') await opening;
const before = { used: used(), rss: process.memoryUsage().rss / mebibyte };
peak = before.rss;
await scenarios[scenario]();
sample();
const held = used() - before.used;
for (const proceed of waiting) proceed();
const growth = { held: Math.round(held), peak: Math.round(peak - before.rss), running: most };
process.stdout.write(`${JSON.stringify(growth)}\n`);
const closing = connection.close();
await Promise.race([closing, sleep(5000)]);
process.exit();
