// An agent for the soak test. A prompt is JSON, {"updates": n, "ask": [methods], "crash": boolean}: it counts on in its
// session, asks in the middle, and answers when all but the questions that are never answered have been.
import { once } from 'node:events';
import { onLine } from '../../support/lines.mjs';

const counts = new Map();
const waiting = new Map();
const answers = { slow: 0, throws: 0, quick: 0 };
let nextId = 0;

async function send(...messages) {
  const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
}

function ask(method, sessionId) {
  return new Promise((resolve) => {
    const id = nextId++;
    waiting.set(id, (message) => {
      waiting.delete(id);
      resolve(message);
    });
    send({ id, method, params: { sessionId } });
  });
}

function counted(sessionId, updates) {
  const first = counts.get(sessionId) ?? 0;
  counts.set(sessionId, first + updates);
  return Array.from({ length: updates }, (_, n) => ({
    method: 'session/update',
    params: {
      sessionId,
      update: {
        sessionUpdate: 'agent_message_chunk',
        messageId: 'count',
        content: { type: 'text', text: `${first + n},` },
      },
    },
  }));
}

/** Asks all at once. */
async function askAll(methods, sessionId) {
  const asked = methods.map(async (method) => {
    const { error } = await ask(method, sessionId);
    if (method === '_soak/slow') answers.slow++;
    if (method === '_soak/quick') answers.quick++;
    if (method === '_soak/throws' && error) answers.throws++;
  });
  await Promise.all(asked.filter((_, n) => methods[n] !== '_soak/never'));
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'soak', version: '1' },
    agentCapabilities: { sessionCapabilities: { resume: {}, close: {} } },
  }),
  'session/new': () => ({ sessionId: `s${nextId++}` }),
  'session/resume': () => ({}),
  'session/close': () => ({}),
  async 'session/prompt'({ sessionId, prompt }) {
    const { updates, ask: questions = [], crash } = JSON.parse(prompt[0].text);
    const half = Math.floor(updates / 2);
    await send(...counted(sessionId, half));
    if (crash) process.kill(process.pid, 'SIGKILL');
    await askAll(questions, sessionId);
    await send(...counted(sessionId, updates - half));
    return { stopReason: 'end_turn' };
  },
  '_soak/report': () => answers,
};

async function receive(message) {
  const { id, method, params } = message;
  if (method === undefined) return waiting.get(id)?.(message);
  if (id !== undefined) await send({ id, result: await methods[method](params) });
}

onLine(process.stdin, (line) => receive(JSON.parse(line)));
process.stdin.on('end', () => process.exit());
