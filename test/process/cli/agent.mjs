// A small agent, usually of version 1, with one special behavior: node agent.mjs <behavior>. It appends the ids of its
// processes to the file in PIDS.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { onLine } from '../../support/lines.mjs';

const how = process.argv[2];
const noted = (pid) => process.env.PIDS && appendFileSync(process.env.PIDS, `${pid}\n`);
noted(process.pid);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = (id, result) => send({ id, result });
const refuse = (id, code, message, data) => send({ id, error: { code, message, data } });
const update = (sessionId, change) =>
  send({ method: 'session/update', params: { sessionId, update: change } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** Says a text in pieces that end where no word does. */
async function sayWords(sessionId, text) {
  for (const piece of text.match(/.{1,5}/gu)) {
    say(sessionId, piece);
    await delay(5);
  }
}
const forever = () => setInterval(() => {}, 1000);
const never = new Promise(() => {});
/** Ends the agent, and never resolves. */
const crash = (words) => {
  process.stderr.write(`${words}\n`, () => process.exit(9));
  return never;
};
async function until(file) {
  while (!existsSync(file)) await delay(20);
}

let requests = 0;
const waiting = new Map();
/** Asks the client, and resolves with what it answers. */
function ask(method, params) {
  const id = `agent-${++requests}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** An agent that describes itself so. */
const described = (more) => ({ initialize: ({ id }) => answer(id, { protocolVersion: 1, ...more }) });
/** An agent whose turns are these. */
const turns = (take) => ({
  async 'session/prompt'({ id, params: { sessionId, prompt } }) {
    await take(sessionId, prompt);
    answer(id, { stopReason: 'end_turn' });
  },
});
/** An agent that loads sessions so. */
const loads = (load) => ({ 'session/load': ({ id, params: { sessionId } }) => load(sessionId, id) });

const ordinary = {
  ...described({
    agentInfo: { name: 'small', version: '1.0.0' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
  }),
  'session/new': ({ id }) => answer(id, { sessionId: 's' }),
  'session/close': ({ id }) => answer(id, {}),
  ...turns((sessionId) => say(sessionId, 'Yes.')),
};

const ask4permission = (options) =>
  turns(async (sessionId) => {
    const toolCall = { toolCallId: 't', title: 'Remove everything', kind: 'delete' };
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall });
    const { result } = await ask('session/request_permission', { sessionId, toolCall, options });
    say(sessionId, JSON.stringify(result.outcome));
  });
const option = (kind, optionId = kind) => ({ kind, optionId, name: `Option ${optionId}` });

const initializeAs2 = ({ id }) =>
  answer(id, {
    protocolVersion: 2,
    info: { name: 'small', version: '1' },
    capabilities: { session: {} },
  });

const readsBlocks = turns((sessionId, prompt) => say(sessionId, JSON.stringify(prompt)));
const onRequest = turns((sessionId, [{ text }]) =>
  text === 'crash' ? crash('Out of tea.') : say(sessionId, 'Yes.'),
);

/** Handlers that replace the ordinary ones, by method. `start` runs before anything is read. */
const ways = {
  ordinary: {},
  'crash-at-start': {
    start() {
      process.stderr.write('There is no model here.\nFAKE LINE\n');
      process.exit(3);
    },
  },
  'starts-slowly': {
    initialize: (message) => setTimeout(() => ordinary.initialize(message), 2500),
  },
  'hang-at-start': {
    start() {
      process.stderr.write('Still \x1b[31mloading\x1b[0m.\n');
      process.on('SIGTERM', () => {});
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      noted(child.pid);
      forever();
    },
    initialize() {},
  },
  'closes-mid-line': {
    initialize: () => process.stdout.write('{"jsonrpc":"2.0","id":0,"resu', () => process.exit(0)),
  },
  'answers-nonsense': { initialize: ({ id }) => answer(id, 'hello') },
  'version-seven': { initialize: ({ id }) => answer(id, { protocolVersion: 7 }) },
  bare: described(),
  refuses: {
    'session/new': ({ id }) => refuse(id, -32603, 'No.'),
    'session/load': ({ id }) => refuse(id, -32002, 'Never heard of it.'),
    'session/list': ({ id }) => refuse(id, -32601, 'No such method.'),
  },
  'gives-a-reason': {
    'session/prompt': ({ id }) => refuse(id, -32603, 'Internal error', { details: 'The key has expired.' }),
  },
  'gives-a-reason-at-rest': {
    initialize: initializeAs2,
    'session/prompt': ({ id, params: { sessionId } }) => {
      answer(id, {});
      const error = { code: -32603, message: 'Internal error', data: { details: 'The key has expired.' } };
      update(sessionId, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error', error });
    },
  },
  'opens-no-session': { 'session/new': () => {} },
  'lists-no-session': { 'session/list': () => {} },
  'wants-login': { 'session/new': ({ id }) => refuse(id, -32000, 'Who are you?') },
  'nameless-session': { 'session/new': ({ id }) => answer(id, {}) },
  'talks-without-end': {
    'session/resume': ({ id }) => answer(id, {}),
    ...turns((sessionId) => {
      setInterval(() => say(sessionId, 'word and word\n'), 20);
      return never;
    }),
  },
  // Says words, runs a tool until the file in GO exists, and says more words.
  'talks-and-waits': turns(async (sessionId) => {
    await sayWords(
      sessionId,
      'First I read what there is: 茶館の看板に空の行がある 🐑🐑🐑 and then some more.',
    );
    const toolCall = { toolCallId: 't', title: 'Run the tests', kind: 'execute' };
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall, status: 'in_progress' });
    await until(process.env.GO);
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' });
    await sayWords(
      sessionId,
      `A word of one's own: ${'Donaudampfschiff'.repeat(3)}, which no line can hold.`,
    );
  }),
  // Stops in a message until the file in GO exists.
  'waits-in-message': turns(async (sessionId) => {
    await sayWords(
      sessionId,
      'This message begins with words for several lines of a narrow terminal, then waits',
    );
    await until(process.env.GO);
    await sayWords(
      sessionId,
      ' and goes on with more words, as many as before, so that they need some lines.',
    );
  }),
  'hangs-in-turn': turns((sessionId) => {
    say(sessionId, 'Let me think.');
    return never;
  }),
  'crashes-in-turn': turns((sessionId) => {
    say(sessionId, 'Before I');
    return crash('Out of tea.');
  }),
  'forgets-after-crash': {
    ...described({ agentInfo: { name: 'small', version: '1' }, agentCapabilities: {} }),
    ...onRequest,
  },
  'crashes-on-request': { 'session/resume': ({ id }) => answer(id, {}), ...onRequest },
  'crashes-and-forgets': { ...described(), ...turns(() => crash('Out of tea.')) },
  'cancels-in-turn': {
    'session/prompt'({ id, params: { sessionId } }) {
      this.turn = id;
      say(sessionId, 'Let me think.');
    },
    'session/cancel'() {
      answer(this.turn, { stopReason: 'cancelled' });
    },
  },
  'crashes-in-load': loads((sessionId) => {
    say(sessionId, 'Once upon a');
    crash('The page is torn.');
  }),
  'crashes-after-load': loads((sessionId, id) => {
    answer(id, null);
    say(sessionId, 'Once upon a');
    crash('The page is torn.');
  }),
  'hangs-in-load': loads((sessionId) => say(sessionId, 'Once upon a')),
  'leaves-after-load': loads((sessionId, id) => {
    say(sessionId, 'The end.');
    answer(id, null);
    // The client gets everything that was written.
    process.stdout.write('', () => process.exit(0));
  }),
  'replays-late': loads(async (sessionId, id) => {
    say(sessionId, 'one');
    answer(id, null);
    for (const text of [', two', ', three', ', four']) {
      await delay(30);
      say(sessionId, text);
    }
  }),
  'replays-very-late': loads((sessionId, id) => {
    say(sessionId, 'one');
    answer(id, null);
    setTimeout(() => say(sessionId, ', two'), 60_000).unref();
  }),
  'lists-in-pages': {
    'session/list': ({ id, params: { cwd = '/', cursor = '0' } }) => {
      const page = Number(cursor);
      const sessions = [{ sessionId: `page-${page}`, cwd, title: `Page ${page}\x1b[2J` }];
      answer(id, { sessions, ...(page < 2 && { nextCursor: `${page + 1}` }) });
    },
  },
  'offers-logins': described({
    authMethods: [
      { id: 'browser', name: 'Browser', description: 'Opens a page of the provider, where you log in' },
      { id: 'api-key', name: 'Key', description: null },
    ],
  }),
  'has-settings': {
    'session/new': ({ id }) => {
      const names = ['tiny', 'small', 'medium', 'large', 'very-large', 'larger-than-that'];
      answer(id, {
        sessionId: 's',
        models: {
          currentModelId: 'small',
          availableModels: names.map((modelId) => ({ modelId, name: modelId })),
        },
        configOptions: [{ id: 'thinking', name: 'Thinking', type: 'boolean', currentValue: false }],
      });
      const name = 'explain';
      const description = 'Explains what a file is for, and which other files use it';
      const availableCommands = [{ name, description, input: { hint: 'a file' } }];
      update('s', { sessionUpdate: 'available_commands_update', availableCommands });
    },
    'session/set_config_option': ({ id, params: { value } }) =>
      answer(id, {
        configOptions: [{ id: 'thinking', name: 'Thinking', type: 'boolean', currentValue: value }],
      }),
  },
  // A command that ends before its first chunk of output.
  'reports-output-at-exit': turns((sessionId) => {
    const toolCall = { toolCallId: 't', title: 'Run the tests', kind: 'execute' };
    const content = [{ type: 'terminal', terminalId: 't' }];
    const rawOutput = { aggregated_output: '12 passed\n', exit_code: 0 };
    const exit = { terminal_id: 't', exit_code: 0, signal: null };
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall, status: 'in_progress', content });
    const done = { toolCallId: 't', status: 'completed', rawOutput, _meta: { terminal_exit: exit } };
    update(sessionId, { sessionUpdate: 'tool_call_update', ...done });
  }),
  // Says which blocks the prompt has.
  'reads-blocks': {
    ...described({ agentCapabilities: { promptCapabilities: { image: true, embeddedContext: true } } }),
    ...readsBlocks,
  },
  'reads-links': readsBlocks,
  'lists-long-titles': {
    'session/list': ({ id }) => {
      const title = 'A title of some length, 長い題名, to be read by people';
      const cwd = '/home/ada/a-project';
      const ids = ['0b1c7a52-8f5e-4b0e-9a39-0c4f4b2a1d10', '5e3f9d81-1d7c-4f26-8a54-6f0f1a3c2b47'];
      const sessions = ids.map((sessionId) => ({ sessionId, cwd, title, updatedAt: '2026-02-28T17:05:00Z' }));
      answer(id, { sessions });
    },
  },
  'lists-without-end': {
    'session/list': ({ id }) => answer(id, { sessions: [], nextCursor: 'again' }),
  },
  'asks-once-or-always': ask4permission([
    option('reject_once'),
    option('allow_always'),
    option('allow_once'),
  ]),
  'asks-always': ask4permission([option('allow_always'), option('reject_always')]),
  'asks-ambiguously': ask4permission([
    option('allow_once', 'here'),
    option('allow_once', 'everywhere'),
    option('reject_once', 'no'),
    option('reject_once', 'never'),
  ]),
  'asks-oddly': ask4permission([option('_shrug')]),
  'uses-files': turns(async (sessionId, prompt) => {
    const [inside, outside] = JSON.parse(prompt[0].text);
    const writes = [inside, outside].map((path) =>
      ask('fs/write_text_file', { sessionId, path, content: `to ${path}` }),
    );
    const [first, second] = await Promise.all(writes);
    const read = await ask('fs/read_text_file', { sessionId, path: inside });
    say(sessionId, JSON.stringify([first.error?.code ?? 'ok', second.error?.code ?? 'ok', read.result]));
  }),
};

const methods = { ...ordinary, ...ways[how] };
methods.start?.();
onLine(process.stdin, (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) waiting.get(message.id)?.(message);
  else methods[message.method]?.(message);
});
