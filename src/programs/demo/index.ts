import { parseArgs } from 'node:util';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { LineDecoder } from '../../core/transport/lines.ts';
import type { AgentEnd } from '../../core/transport/memory/memory-transport.ts';
import { serveDemoAgent } from './agent.ts';
import { dialects } from './dialect.ts';
import { folderStore } from './folder-store.ts';
import { keywords } from './replies.ts';
import { memoryStore } from './store.ts';

/** How long the client may take to read the rest of the output when the agent exits. */
const unreadOutputMs = 1000;

/** The agent's end of a channel over stdin and stdout of this process. */
function stdioChannel(): AgentEnd {
  const { stdin, stdout, stderr } = process;
  const lines = new LineDecoder(Number.POSITIVE_INFINITY);
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  // The client may exit first.
  stdout.on('error', close);
  const write = (chunk: Uint8Array | string) => {
    if (isOpen) stdout.write(chunk);
  };
  return {
    write,
    send: (...messages) => write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    onLine: (listener) =>
      void stdin.on('data', (chunk: Buffer) => {
        lines.push(chunk);
        for (let line = lines.take(); typeof line === 'string'; line = lines.take()) {
          if (line.trim() !== '') listener(line);
        }
      }),
    onEnd: (listener) => void stdin.on('end', listener),
    end: () => void stdout.end(),
    closeInput: () => void stdin.destroy(),
    exit: ({ exitCode = 1, stderrTail = '' } = {}) => {
      close();
      process.exitCode = exitCode ?? 1;
      stderr.write(stderrTail);
      stdin.destroy();
      stdout.end(() => process.exit());
      setTimeout(() => process.exit(), unreadOutputMs).unref();
    },
  };
}

const help = `A demo agent: it speaks the Agent Client Protocol on stdin and stdout, one JSON message a line.
It has no model and needs no network. The same prompt always gets the same answer.

Options
  --state DIR       keep new sessions in this directory (default: in memory)
  --dialect NAME    ${Object.keys(dialects).join(', ')} (default: the client chooses the version)
  -h, --help        print this

Words in a prompt that choose the answer
${keywords.map(({ words, effect }) => `  ${words.join(', ').padEnd(18)}${effect}`).join('\n')}
`;

function readOptions() {
  const string = { type: 'string' } as const;
  const known = { state: string, dialect: string, help: { type: 'boolean', short: 'h' } } as const;
  const { state, dialect, help } = parseArgs({ options: known }).values;
  const only = Object.entries(dialects).find(([name]) => name === dialect)?.[1];
  if (dialect !== undefined && !only) {
    throw new Error(`--dialect must be one of ${Object.keys(dialects).join(', ')}; got "${dialect}".`);
  }
  return { state, only, help };
}

// Set if the program that runs this is Electron. The agent must not pass it on.
delete process.env['ELECTRON_RUN_AS_NODE'];

// What goes wrong first is the command line.
let exitCode = 2;
try {
  const { state, only, help: isAsked } = readOptions();
  exitCode = 1;
  if (isAsked) process.stdout.write(help);
  else serveDemoAgent(stdioChannel(), state === undefined ? memoryStore() : folderStore(state), only);
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = exitCode;
}
