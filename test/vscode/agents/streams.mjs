// Sends much in a short time. A prompt is a command:
//
//   stream SHAPE KB-A-SECOND SECONDS   an answer of this shape
//   diff LINES                         a file of this many lines, every third of them changed
//   output MIB FILE                    the output of a command, which begins when the file is there
//   print MIB                          the output of a command that the agent has run itself
//
// The last word of an answer says when it was sent: `Finished` and milliseconds of the clock.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './serve.mjs';
import { shapes } from './shapes.mjs';

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

async function output({ say, run }, mib, file) {
  const lines = Math.round((Number(mib) * 1024 * 1024) / 40);
  const script = [
    `while [ ! -e ${file} ]; do sleep 0.05; done`,
    `seq -f 'Line %07.0f of the output of a command' 1 ${lines}`,
  ].join('; ');
  await run('Print a lot', script);
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

const commands = { stream, diff, output, print };

serve({
  name: 'streams-agent',
  title: 'Agent of streams',
  turn: (turn) => {
    const [command, ...rest] = turn.text.trim().split(/\s+/);
    return Object.hasOwn(commands, command)
      ? commands[command](turn, ...rest)
      : turn.say(`You said: ${turn.text}`);
  },
});
