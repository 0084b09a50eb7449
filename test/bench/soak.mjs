// Many agents, many sessions, much traffic, bad handlers: nothing may leak, nothing may come out of order, and a slow
// handler may hold up only its own answer. `npm run suite -- soak` prints the figures, and fails if one of these is not so.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect } from '../../dist/index.js';
import { spawnAgent } from '../../dist/node.js';

const program = fileURLToPath(new URL('programs/soak-agent.mjs', import.meta.url));
const cwd = process.cwd();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const pids = new Set();

/** What a process keeps when something was not put away. */
async function inUse() {
  await sleep(50); // what has ended is put away by the event loop
  collectGarbage();
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  return {
    heapMiB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
    timers: resources.filter((name) => name === 'Timeout').length,
    processes: resources.filter((name) => name === 'ProcessWrap').length,
    listeners: ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'unhandledRejection'].reduce(
      (sum, event) => sum + process.listenerCount(event),
      0,
    ),
    agents: [...pids].filter(isAlive).length,
  };
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function start() {
  const agent = spawnAgent({ command: process.execPath, args: [program] });
  pids.add(agent.pid);
  return agent;
}

const withdrawn = { count: 0 };
const slowOnes = new WeakMap();
const handlers = {
  extensions: {
    // It answers only when a question that was asked later has been: were that one held up, both would wait for ever.
    '_soak/slow': (_, { session }) =>
      new Promise((resolve) => {
        slowOnes.set(session, () => resolve({}));
      }),
    '_soak/quick': (_, { session }) => {
      setImmediate(slowOnes.get(session));
      return {};
    },
    '_soak/throws': () => {
      throw new Error('a handler that throws');
    },
    '_soak/never': (_, { signal }) => {
      signal.addEventListener('abort', () => withdrawn.count++, { once: true });
      return new Promise(() => {});
    },
  },
};

const options = { clientInfo: { name: 'soak', version: '0' }, handlers };
const prompt = (session, order) => session.prompt(JSON.stringify(order));

/** The numbers that a session was sent must all be there, in order. */
function assertCounted({ conversation }, updates) {
  const said = conversation.entries
    .filter(({ kind, role }) => kind === 'message' && role === 'agent')
    .map(({ content }) => content.map(({ text }) => text).join(''))
    .join('');
  assert.equal(said, Array.from({ length: updates }, (_, n) => `${n},`).join(''));
}

/** Runs one after the other for each of so many at a time. */
async function pool(items, width, run) {
  const queue = [...items.entries()];
  const workers = Array.from({ length: width }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await run(next[1], next[0]);
  });
  await Promise.all(workers);
}

async function manyAgents(count, prompts, updates) {
  let crashes = 0;
  await pool(Array.from({ length: count }), count, async (_, n) => {
    const connection = await connect(start(), options);
    const session = await connection.newSession({ cwd });
    for (let turn = 0; turn < prompts; turn++) {
      await prompt(session, { updates, ask: ['_soak/slow', '_soak/throws', '_soak/never', '_soak/quick'] });
    }
    const crash = n % 3 === 0;
    if (crash) {
      await assert.rejects(prompt(session, { updates, crash }), { code: 'connection.closed' });
      crashes++;
    } else {
      const answers = await connection.request('_soak/report', {});
      assert.deepEqual(answers, { slow: prompts, throws: prompts, quick: prompts });
    }
    await connection.close();
    const whole = prompts * updates;
    assertCounted(session, crash ? whole + Math.floor(updates / 2) : whole);
  });
  return { agents: count, prompts: count * prompts, updates: count * prompts * updates, crashes };
}

async function manySessions(count, rounds, updates) {
  const connection = await connect(start(), options);
  const sessions = await Promise.all(Array.from({ length: count }, () => connection.newSession({ cwd })));
  for (const [n, { store }] of sessions.entries()) {
    if (n % 10 === 0) store.subscribe(() => assert.fail('a subscriber that throws'));
  }
  for (let round = 0; round < rounds; round++) {
    await pool(sessions, 50, (session, n) =>
      prompt(session, { updates, ask: n % 100 === 0 ? ['_soak/slow', '_soak/never', '_soak/quick'] : [] }),
    );
  }
  for (const session of sessions) assertCounted(session, rounds * updates);
  const open = await inUse();
  await connection.close();
  return {
    sessions: count,
    prompts: count * rounds,
    updates: count * rounds * updates,
    openMiB: open.heapMiB,
  };
}

async function manyRestarts(count, updates) {
  const connection = await connect(start, { ...options, reconnect: { firstDelayMs: 1, maxDelayMs: 20 } });
  const session = await connection.newSession({ cwd });
  for (let n = 0; n < count; n++) {
    const open = new Promise((resolve) => {
      const stop = connection.onStateChange((state) => {
        if (state !== 'open') return;
        stop();
        resolve();
      });
    });
    await sleep(25); // a run that stays for longer than the longest pause is a good one
    await assert.rejects(prompt(session, { updates, crash: true }), { code: 'connection.closed' });
    await open;
  }
  const interruptions = session.conversation.entries.filter(
    ({ kind, cause }) => kind === 'turnFailure' && cause === 'interrupted',
  );
  assert.equal(interruptions.length, count);
  await connection.close();
  return { restarts: count };
}

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

const phases = [
  ['warm-up', () => manyAgents(4, 2, 200)],
  ['agents at once', () => manyAgents(50, 5, 500)],
  // As much as 50 agents say in an hour, at 25 updates a second each.
  ['sessions on one connection', () => manySessions(1000, 45, 100)],
  ['restarts', () => manyRestarts(20, 100)],
  ['agents at once, again', () => manyAgents(50, 5, 500)],
];

let before;
for (const [name, run] of phases) {
  const startedAt = performance.now();
  const done = await run();
  const seconds = (performance.now() - startedAt) / 1000;
  const left = await inUse();
  console.log(`${name}: ${JSON.stringify(done)}, ${seconds.toFixed(1)} s; left: ${JSON.stringify(left)}`);
  assert.deepEqual(unhandled, []);
  assert.equal(left.agents, 0);
  assert.equal(left.processes, 0);
  before ??= left;
  assert.equal(left.listeners, before.listeners);
  assert.equal(left.timers, before.timers);
  assert.ok(left.heapMiB - before.heapMiB < 16, `the heap grew by ${left.heapMiB - before.heapMiB} MiB`);
}
console.log('handlers that never returned and were told to stop:', withdrawn.count);
