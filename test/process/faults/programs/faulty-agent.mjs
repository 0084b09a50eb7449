// An agent that does one thing wrong, at one point: both are given as JSON, {"dialect", "point", "fault"}.
// It says "reached" on stderr when it is there, and always has a child of its own.
import { spawn } from 'node:child_process';
import { closeSync, writeSync } from 'node:fs';

const { dialect, point, fault } = JSON.parse(process.argv[2]);
const isV1 = dialect === 'v1';
const holdsOutput = fault === 'leaves a child that holds its output';
spawn('sleep', ['600'], { stdio: ['ignore', holdsOutput ? 1 : 'ignore', 'ignore'] });
setInterval(() => {}, 1000); // It never ends because nothing is left to do.

let nextId = 0;
let isDead = false;
const waiting = new Map(); // what answers to our requests go on with
const late = new Map(); // what is answered once it was called off

const write = (text) => {
  if (!isDead) writeSync(1, text);
};
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (body) => send({ method: 'session/update', params: { sessionId: 's1', update: body } });
const say = (text) =>
  update({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { type: 'text', text } });
const lastWords = () => writeSync(2, 'last words\n');
const request = (method, params, then) => {
  waiting.set(nextId, then);
  send({ id: nextId++, method, params });
};

/** What goes wrong. `id` is the request that is due, `answer` gives its answer: what does neither leaves it open. */
const faults = {
  'exits with code 1': () => {
    lastWords();
    process.exit(1);
  },
  'exits with code 0': () => {
    lastWords();
    process.exit(0);
  },
  'is killed': () => {
    lastWords();
    process.kill(process.pid, 'SIGKILL');
  },
  // From outside, when it has said its last words.
  'is killed with its children': () => {
    isDead = true;
    lastWords();
  },
  'leaves a child that holds its output': () => {
    lastWords();
    process.exit(1);
  },
  'closes its output': () => {
    lastWords();
    closeSync(1);
    isDead = true;
  },
  'sends a line that is too long': () => write(`${'x'.repeat(100_000)}\n`),
  'hangs and ignores signals': () => {
    process.on('SIGTERM', () => {});
    isDead = true;
  },
  'closes its input': () => {
    lastWords();
    process.stdin.removeAllListeners('end');
    closeSync(0);
  },
  'does not read': () => process.stdin.pause(),
  'sends half a line': () => {
    write('{"jsonrpc":"2.0","method":"session/upd');
    isDead = true;
  },
  'sends half a line and exits': () => {
    write('{"jsonrpc":"2.0","method":"session/upd');
    lastWords();
    process.exit(1);
  },
  'answers another request': () => send({ id: 999, result: {} }),
  'answers with an error without an id': () =>
    send({ error: { code: -32700, message: 'I cannot read this.' } }),
  'answers after the call was abandoned': (id, answer) => late.set(id, answer),
  'answers with neither result nor error': (id) => send({ id }),
  'writes garbage': (_, answer) => {
    write('Loading the model…\n{]\n42\n\n\u0000\u0001\n{"jsonrpc":"2.0"}\n');
    answer?.();
  },
  'answers twice': (_, answer) => {
    answer?.();
    answer?.();
  },
};

/** Goes on with `answer`, unless this is the point at which something goes wrong. */
function at(name, id, answer) {
  if (name !== point) return answer?.();
  writeSync(2, 'reached\n');
  // What was asked before must not end the turn, unless the agent goes on as if nothing had been.
  if (fault !== 'writes garbage') waiting.clear();
  faults[fault](id, answer);
}

const initializeResult = isV1
  ? {
      protocolVersion: 1,
      agentInfo: { name: 'faulty', version: '1' },
      agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, list: {} } },
    }
  : { protocolVersion: 2, info: { name: 'faulty', version: '1' }, capabilities: { session: {} } };

const methods = {
  initialize: (id) => at('initialize', id, () => send({ id, result: initializeResult })),
  'session/new': (id) =>
    at('new', id, () => {
      send({ id, result: { sessionId: 's1' } });
      say('Welcome.');
      if (point === 'idle') setTimeout(() => at('idle'), 20);
    }),
  [isV1 ? 'session/load' : 'session/resume']: (id) => {
    say('What was said before, ');
    at('load', id, () => {
      say('all of it.');
      send({ id, result: {} });
    });
  },
  'session/prompt': (id) => at('prompt', id, () => (isV1 ? answerV1(id) : answerV2(id))),
  'session/cancel': () => at('cancel'), // The answer to the open question ends the turn.
  'session/close': (id) => at('close', id, () => send({ id, result: {} })),
  '_test/ping': (id) => send({ id, result: {} }),
  '$/cancel_request': (_, { requestId }) => late.get(requestId)?.(),
};

function work(id, finish) {
  say(' Working.');
  update({
    sessionUpdate: isV1 ? 'tool_call' : 'tool_call_update',
    toolCallId: 't1',
    title: 'Write',
    status: 'in_progress',
  });
  at('turn', id, () => {
    const toolCall = { toolCallId: 't1' };
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const params = isV1
      ? { sessionId: 's1', toolCall, options }
      : { sessionId: 's1', title: 'Write?', subject: { type: 'tool_call', toolCall }, options };
    request('session/request_permission', params, (outcome) => {
      if (outcome === 'cancelled') return finish('cancelled');
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
      say(' Done.');
      finish('end_turn');
    });
    at('permission');
    if (point === 'cancel') writeSync(2, 'asking\n');
  });
}

function answerV1(id) {
  work(id, (stopReason) => send({ id, result: { stopReason } }));
}

function answerV2(id) {
  send({ id, result: { messageId: 'u1' } });
  update({ sessionUpdate: 'state_update', state: 'running' });
  work(id, (stopReason) => update({ sessionUpdate: 'state_update', state: 'idle', stopReason }));
}

function receive({ id, method, params, result }) {
  if (method !== undefined) return methods[method]?.(id, params);
  const then = waiting.get(id);
  waiting.delete(id);
  then?.(result?.outcome?.outcome);
}

let input = '';
process.stdin.on('data', (chunk) => {
  const lines = (input + chunk).split('\n');
  input = lines.pop();
  for (const line of lines) if (!isDead) receive(JSON.parse(line));
});
process.stdin.on('end', () => {
  if (!isDead) at('end', undefined, () => process.exit());
});
at('start');
