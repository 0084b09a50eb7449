// Sends much in a short time, and asks much at once. A prompt is a command:
//
//   stream SHAPE KB-A-SECOND SECONDS   an answer of this shape
//   diff LINES                         a file of this many lines, every third of them changed
//   output MIB FILE                    the output of a command, which begins when the file is there
//   print MIB                          the output of a command that the agent has run itself
//   edits COUNT                        so many questions at once, each with a diff; the title of the first says nothing
//   form, plan, edits-and-plan COUNT   a form; a plan; a plan, and then questions
//
// The last word of an answer says when it was sent: `Finished` and milliseconds of the clock. `--login` asks for a login
// before the first session, and `--sessions COUNT` has so many sessions.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serve.mjs';
import { shapes } from './shapes.mjs';

const flag = (name) => process.argv.indexOf(name) + 1;
const sessionCount = flag('--sessions') ? Number(process.argv[flag('--sessions')]) : 0;
const topics = ['Fix the login', 'Split the store', 'Test the parser of dates', 'Why is it slow?'];
let calls = 0;

/** The last word. */
const finished = () => `Finished${Date.now()}`;

async function stream({ say, signal }, shape, kbPerSecond, seconds) {
  const { pieces, end } = shapes[shape];
  const source = pieces();
  const start = performance.now();
  const passed = () => (performance.now() - start) / 1000;
  const isOver = () => signal.aborted || passed() >= seconds;
  // The faster, the longer: about 400 pieces a second, each of a few words.
  const length = (kbPerSecond * 1024) / 400;
  let sent = 0;
  while (!isOver()) {
    const due = passed() * kbPerSecond * 1024;
    // An agent that cannot send so fast ends in time, too.
    while (sent < due && !isOver()) {
      let piece = '';
      while (piece.length < length) piece += source.next().value;
      await say(piece);
      sent += piece.length;
    }
    await sleep(10);
  }
  // A stream that is slower than asked for would be a law that is too kind.
  await say(`${end}Sent ${Math.round(sent / 1024)} KB. `);
  await say(finished());
}

const lineOf = (index, value) => `  const value${index} = ${value}; // a line of text in a large file\n`;
const linesOf = (count, numberOf) =>
  Array.from({ length: count }, (_, index) => lineOf(index, numberOf(index))).join('');

async function diff({ update, say, cwd }, lines) {
  const count = Number(lines);
  await update({
    sessionUpdate: 'tool_call',
    toolCallId: `diff-${++calls}`,
    title: 'Edit big.js',
    kind: 'edit',
    status: 'completed',
    content: [
      {
        type: 'diff',
        path: join(cwd, 'big.js'),
        oldText: linesOf(count, (index) => index),
        newText: linesOf(count, (index) => (index % 3 === 0 ? index + 1 : index)),
      },
    ],
  });
  await say(finished());
}

async function output({ client, sessionId, cwd, update, say }, mib, file) {
  const lines = Math.round((Number(mib) * 1024 * 1024) / 40);
  const script = [
    `while [ ! -e ${file} ]; do sleep 0.05; done`,
    `seq -f 'Line %07.0f of the output of a command' 1 ${lines}`,
  ].join('; ');
  const terminal = await client.createTerminal({ sessionId, command: 'sh', args: ['-c', script], cwd });
  const toolCallId = `output-${++calls}`;
  await update({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Print a lot',
    kind: 'execute',
    status: 'in_progress',
    content: [{ type: 'terminal', terminalId: terminal.id }],
  });
  await terminal.waitForExit();
  await terminal.release();
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  await say(finished());
}

async function print({ update, say }, mib) {
  const line = (index) => `Line ${String(index).padStart(7, '0')} of the output of a command\n`;
  const count = Math.round((Number(mib) * 1024 * 1024) / line(0).length);
  const text = Array.from({ length: count }, (_, index) => line(index + 1)).join('');
  await update({
    sessionUpdate: 'tool_call',
    toolCallId: `print-${++calls}`,
    title: 'Print a lot',
    kind: 'execute',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text } }],
  });
  await say(finished());
}

async function edit({ client, sessionId, cwd, update }, number) {
  const toolCallId = `edit-${++calls}`;
  const path = join(cwd, `file-${number}.js`);
  const oldText = `export const number = ${number};\nexport const name = 'file';\n`;
  const newText = `export const number = ${number + 1};\nexport const name = 'file';\nexport const added = true;\n`;
  await update({
    sessionUpdate: 'tool_call',
    toolCallId,
    // As Codex does.
    title: number === 1 ? 'Make edits?' : `Edit file-${number}.js`,
    kind: 'edit',
    status: 'pending',
    content: [{ type: 'diff', path, oldText, newText }],
    locations: [{ path }],
  });
  const { outcome } = await client.request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId },
    options: [
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'always', name: `Always allow edits of file-${number}.js`, kind: 'allow_always' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  });
  const isAllowed = outcome.optionId === 'once' || outcome.optionId === 'always';
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' });
  return `${number}: ${outcome.optionId ?? outcome.outcome}`;
}

async function edits(turn, count) {
  const answers = await Promise.all(
    Array.from({ length: Number(count) }, (_, index) => edit(turn, index + 1)),
  );
  await turn.say(`Answers: ${answers.join(', ')}.`);
}

async function plan({ update, say }) {
  const task = (content, status) => ({ content, priority: 'medium', status });
  await update({
    sessionUpdate: 'plan',
    entries: [
      task('Read the code', 'completed'),
      task('Change the function that does the work, which has a long description', 'in_progress'),
      task('Run the tests', 'pending'),
    ],
  });
  await say('That is the plan.');
}

async function form({ client, sessionId, say }) {
  const answer = await client.request('elicitation/create', {
    sessionId,
    mode: 'form',
    message: 'How is the release named?',
    requestedSchema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', title: 'Name', description: 'As it is in the list of releases' },
        channel: { type: 'string', title: 'Channel', enum: ['stable', 'next'] },
        count: { type: 'integer', title: 'Copies', minimum: 1, maximum: 9 },
        isDraft: { type: 'boolean', title: 'Only a draft' },
      },
    },
  });
  await say(`The form: ${answer.action}.`);
}

const commands = {
  stream,
  diff,
  output,
  print,
  edits,
  plan,
  form,
  async 'edits-and-plan'(turn, count) {
    await plan(turn);
    await edits(turn, count);
  },
};

serve({
  name: 'streams-agent',
  title: 'Agent of streams',
  logins: flag('--login')
    ? [
        { id: 'page', name: 'Log in on the page', description: 'Opens the page of the maker' },
        { id: 'key', name: 'Use a key', description: 'Reads the key from the environment' },
      ]
    : [],
  sessions: Object.fromEntries(
    Array.from({ length: sessionCount }, (_, index) => [
      `Session ${index + 1}: ${topics[index % topics.length]}`,
      () => [
        { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: `Question ${index + 1}` } },
      ],
    ]),
  ),
  turn: (turn) => {
    const [command, ...rest] = turn.text.trim().split(/\s+/);
    return Object.hasOwn(commands, command)
      ? commands[command](turn, ...rest)
      : turn.say(`You said: ${turn.text}`);
  },
});
