// An agent of version 1 that begins a storm with its first prompt: storm.mjs <kind>. It never ends the turn.
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [kind] = process.argv.slice(2);
const sessionId = 's1';

function send(...messages) {
  const text = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') process.exit(0);
    }
  }
}

let id = 0;
const request = (method, params) => ({ id: `r${++id}`, method, params: { sessionId, ...params } });
const withdrawn = (message) => [message, { method: '$/cancel_request', params: { requestId: message.id } }];
const permission = () =>
  request('session/request_permission', {
    toolCall: { toolCallId: `t${id}`, title: 'Run' },
    options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
  });
const update = (text) => ({
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
});

/** A file of a tebibyte that uses no space on the disk. */
function sparseFile() {
  const path = `${process.cwd()}/sparse.txt`;
  const file = openSync(path, 'w');
  ftruncateSync(file, 2 ** 40);
  closeSync(file);
  return path;
}

const storms = {
  permissions: () => send(...Array.from({ length: 900 }, permission)),
  'withdrawn permissions': () => send(...Array.from({ length: 5000 }, permission).flatMap(withdrawn)),
  reads() {
    const path = sparseFile();
    send(...Array.from({ length: 900 }, () => request('fs/read_text_file', { path, line: 2 })));
  },
  'withdrawn reads'() {
    const path = sparseFile();
    const reads = Array.from({ length: 4000 }, () => request('fs/read_text_file', { path, line: 2 }));
    send(...reads.flatMap(withdrawn));
  },
  terminals() {
    const command = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] };
    send(...Array.from({ length: 40 }, () => request('terminal/create', command)));
  },
  // It writes as fast as the client reads, for ever.
  notifications() {
    const messages = Array.from({ length: 1000 }, (_, n) => update(`${n} ${'x'.repeat(100)}`));
    for (;;) send(...messages);
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'initialize') {
    send({ id: message.id, result: { protocolVersion: 1, agentCapabilities: {} } });
  } else if (message.method === 'session/new') send({ id: message.id, result: { sessionId } });
  else if (message.method === 'session/prompt') {
    send(update('begin'));
    storms[kind]();
  }
});
