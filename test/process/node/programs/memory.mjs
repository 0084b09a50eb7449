// An editor that an agent sends too much: memory.mjs <scenario> <folder>. Bundled, and run with --expose-gc.
// Writes one line of JSON: by how many MiB its memory grew at the most, and while it was held.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { connect, ndjsonTransport, remoteTransport } from '../../../../src/entries/index.ts';
import { nodeFileSystem, nodeTerminals } from '../../../../src/entries/node.ts';

const [scenario, folder] = process.argv.slice(2);
const mebibyte = 2 ** 20;
const sessionId = 's1';

/** Two streams. */
function streams() {
  const fromAgent = new PassThrough();
  let isReading = true;
  const toAgent = new Writable({
    write(chunk, _encoding, done) {
      if (!isReading) return;
      for (const line of String(chunk).split('\n').filter(Boolean)) receive(JSON.parse(line));
      done();
    },
  });
  return {
    transport: ndjsonTransport(fromAgent, toAgent),
    write: (text) => fromAgent.write(`${text}\n`),
    stopReading: () => {
      isReading = false;
    },
  };
}

/** A WebSocket of this machine. The agent at its other end is in this process too, and keeps nothing. */
async function webSocket() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const accepting = once(server, 'connection');
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${server.address().port}`);
  const [agent] = await accepting;
  agent.on('message', (data) => receive(JSON.parse(String(data))));
  return {
    transport: remoteTransport(socket.url, { WebSocket: () => socket }),
    write: (text) => agent.send(text),
    stopReading: () => agent.pause(),
  };
}

const channel = scenario === 'answers over a WebSocket' ? await webSocket() : streams();
const waiting = [];
const send = (message) => channel.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
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
  terminals: nodeTerminals({ cwd: folder }),
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

/** 60 reads of a file of 16 MiB, whose answers are not read. */
async function unreadAnswers() {
  const path = `${folder}/large.txt`;
  writeFileSync(path, 'x'.repeat(16 * mebibyte));
  channel.stopReading();
  for (let id = 0; id < 60; id++) {
    send({ id: `r${id}`, method: 'fs/read_text_file', params: { sessionId, path } });
  }
  await connection.closed;
}

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
  answers: unreadAnswers,
  'answers over a WebSocket': unreadAnswers,
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
  /** 400 commands that run for long. */
  async commands() {
    for (let n = 0; n < 400; n++) {
      const params = { sessionId, command: 'sleep', args: ['1000'] };
      send({ id: `r${n}`, method: 'terminal/create', params });
    }
    while (answered.size < 400) await sleep(10);
    most = [...answered.values()].filter(({ terminalId }) => terminalId).length;
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
  /** 12 terminals that write 64 MiB each, which the agent asks to keep. */
  async terminals() {
    const program = `const part = Buffer.alloc(${mebibyte}, 120); let n = 0;
      const end = () => process.stdout.write('end') && setInterval(() => {}, 1000);
      const write = () => n++ < 64 ? process.stdout.write(part, write) : end(); write();`;
    const request = { command: process.execPath, args: ['-e', program], outputByteLimit: 64 * mebibyte };
    for (let n = 0; n < 12; n++) {
      send({ id: `r${n}`, method: 'terminal/create', params: { sessionId, ...request } });
      while (!answered.has(`r${n}`)) await sleep(10);
      const { terminalId } = answered.get(`r${n}`);
      while (!handlers.terminals.get(terminalId).output.endsWith('end')) await sleep(100);
    }
  },
};

mkdirSync(folder, { recursive: true });
const connecting = connect(channel.transport, {
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
