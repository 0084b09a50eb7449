// An agent that asks as its prompts say: "questions", "form", "login", "plan", or "wait". It writes each answer to the
// transcript. Its argument is the number of its sessions.
import { createInterface } from 'node:readline';

const sessions = Array.from({ length: Number(process.argv[2] ?? 0) }, (_, index) => ({
  sessionId: `old-${index}`,
  cwd: process.cwd(),
  title: `Session ${index} of many`,
  updatedAt: new Date(Date.UTC(2026, 0, 1) - index * 3_600_000).toISOString(),
}));
let isLoggedIn = false;
let stopTurn = () => {};
let lastId = 0;
const waiting = new Map();

const post = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const request = (method, params) =>
  new Promise((resolve) => {
    lastId += 1;
    waiting.set(lastId, resolve);
    post({ id: lastId, method, params });
  });
const update = (sessionId, content) =>
  post({ method: 'session/update', params: { sessionId, update: content } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  {
    optionId: 'always',
    name: `Allow always, and ${'do not ask again, '.repeat(20)}never`,
    kind: 'allow_always',
  },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const calls = [
  {
    title: 'Make edits?',
    kind: 'edit',
    content: ['tea.md', 'coffee.md'].map((name) => ({
      type: 'diff',
      path: `${process.cwd()}/${name}`,
      oldText: 'one\ntwo\nthree\n',
      newText: `one\ntwo and a half, which is ${name}\nthree\nfour\n`,
    })),
  },
  { title: 'Run a command?', kind: 'execute', rawInput: { command: ['sh', '-c', 'rm -rf build'] } },
  { title: 'Call a tool?', kind: 'other', rawInput: { address: 'teapot' } },
];

async function permission(sessionId, call, index) {
  const toolCallId = `call-${index}`;
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...call });
  const { outcome } = await request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId },
    options,
  });
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  say(sessionId, `\n\n${call.title} ${outcome.optionId ?? outcome.outcome}`);
}

const turns = {
  questions: (sessionId) => Promise.all(calls.map((call, index) => permission(sessionId, call, index))),
  async form(sessionId) {
    const { action, content } = await request('elicitation/create', {
      sessionId,
      mode: 'form',
      message: 'Which tea?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', description: 'As it is on the box' },
          cups: { type: 'integer', title: 'Cups', minimum: 1 },
          milk: { type: 'boolean', title: 'Milk' },
        },
        required: ['name'],
      },
    });
    say(sessionId, `form: ${action} ${content?.name ?? ''}`);
  },
  async plan(sessionId) {
    const entries = ['Boil the water', 'Warm the pot', 'Wait'].map((content) => ({
      content,
      priority: 'medium',
      status: 'pending',
    }));
    update(sessionId, { sessionUpdate: 'plan', entries });
    await Promise.all(calls.map((call, index) => permission(sessionId, call, index)));
  },
  wait: () => new Promise((resolve) => (stopTurn = resolve)),
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'asking', title: 'An agent that asks', version: '1.0.0' },
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, delete: {} } },
    authMethods: [
      { id: 'key', name: 'Use a key', description: 'The key from the page of your account' },
      { id: 'browser', name: 'Use the browser', description: 'Opens a page of the web' },
    ],
  }),
  authenticate() {
    isLoggedIn = true;
    return {};
  },
  'session/new': () => ({ sessionId: 'new' }),
  'session/load': () => ({}),
  'session/list': () => ({ sessions }),
  'session/delete'({ sessionId }) {
    sessions.splice(
      sessions.findIndex((session) => session.sessionId === sessionId),
      1,
    );
    return {};
  },
  async 'session/prompt'({ sessionId, prompt }) {
    const [{ text }] = prompt;
    if (text === 'login' && !isLoggedIn) throw { code: -32000, message: 'The tea is locked.' };
    if (text === 'fail') throw { code: -32603, message: 'The pot is broken.' };
    await turns[text]?.(sessionId);
    say(sessionId, `\n\nEnd of “${text}”.`);
    return { stopReason: 'end_turn' };
  },
  'session/cancel': () => stopTurn(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(result);
    waiting.delete(id);
  } else void answer(id, method, params);
}

async function answer(id, method, params) {
  try {
    const result = await methods[method]?.(params);
    if (id !== undefined) post({ id, result: result ?? {} });
  } catch (error) {
    if (id !== undefined) post({ id, error });
  }
}
