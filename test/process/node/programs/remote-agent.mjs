// An agent of version 1. It has the client change a file of the session's folder, with a request and with a command, and
// then tells what it sees of it itself. The argument is a folder that it should not see.
import { existsSync, readFileSync } from 'node:fs';
import { serveLines } from '../../../support/line-agent.mjs';

const sessionId = 's1';
const answers = new Map();
let cwd = '';

function call(method, params) {
  const id = answers.size;
  const answer = new Promise((resolve) => answers.set(id, resolve));
  send({ id, method, params: { sessionId, ...params } });
  return answer;
}

const update = (fields) => send({ method: 'session/update', params: { sessionId, update: fields } });

async function prompt() {
  const path = `${cwd}/notes.txt`;
  const before = readFileSync(path, 'utf8');
  const { result } = await call('fs/read_text_file', { path });
  const newText = `${result.content}by a request\n`;
  update({
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    title: 'Edit the notes',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: result.content, newText }],
  });
  await call('fs/write_text_file', { path, content: newText });
  const script = "require('node:fs').appendFileSync('notes.txt', 'by a command\\n')";
  const created = await call('terminal/create', { command: process.execPath, args: ['-e', script], cwd });
  const { terminalId } = created.result;
  await call('terminal/wait_for_exit', { terminalId });
  await call('terminal/release', { terminalId });
  const outside = await call('fs/read_text_file', { path: `${cwd}/../secret.txt` });
  const report = {
    before,
    after: readFileSync(path, 'utf8'),
    seesTheEditor: existsSync(`${process.argv[2]}/notes.txt`),
    outside: outside.error?.message ?? outside.result,
  };
  const content = { type: 'text', text: JSON.stringify(report) };
  update({ sessionUpdate: 'agent_message_chunk', content });
  return { stopReason: 'end_turn' };
}

const send = serveLines(
  {
    initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
    'session/new': (params) => {
      cwd = params.cwd;
      return { sessionId };
    },
    'session/prompt': prompt,
  },
  ({ id, ...answer }) => answers.get(id)?.(answer),
);
