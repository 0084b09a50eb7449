// An editor that starts two agents and a terminal, and then ends: editor.mjs <scenario> <agent program> [arguments…]
import { writeSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { nodeTerminals, spawnAgent } from '../../../../src/entries/node.ts';

const [, , scenario, ...program] = process.argv;

/** A copy of signal-exit that does not share its state with the one in this bundle. */
const otherSignalExit = () => module.createRequire(program[0])('signal-exit');

/** What the editor does before it starts anything. */
const preparations = {
  listens: () => {
    process.once('SIGTERM', () => console.log('first'));
    process.once('SIGUSR2', () => process.exit(6));
  },
  'removes another copy': async () => {
    const remove = otherSignalExit().onExit(() => {});
    await spawnAgent({ command: process.execPath, args: ['-e', ''] }).reaped;
    remove();
  },
};

/** What the editor does once everything runs. What ends it waits for the line with the process ids. */
const scenarios = {
  waits: () => setInterval(() => {}, 1000),
  exits: () => setTimeout(() => process.exit(5)),
  aborts: () => setTimeout(() => process.abort()),
  throws: () => {
    setTimeout(() => {
      throw new Error('the editor has a bug');
    });
  },
  listens: () => setInterval(() => {}, 1000),
  'has another copy': () => {
    otherSignalExit().onExit(() => {});
    setInterval(() => {}, 1000);
  },
  'removes another copy': () => setTimeout(() => process.exit(5)),
  'removes all listeners': () => {
    process.removeAllListeners();
    setTimeout(() => process.exit(5));
  },
  // As a native module does that ends the process.
  'skips its listeners': () => setTimeout(() => process.reallyExit(5)),
  'terminates its worker': () => setTimeout(() => parentPort.postMessage('ready')),
};

if (scenario === 'terminates its worker' && isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  worker.once('message', () => worker.terminate());
  // This process goes on.
  await new Promise(() => setInterval(() => {}, 1000));
}

await preparations[scenario]?.();
const agents = [1, 2].map(() => spawnAgent({ command: process.execPath, args: program }));
const messages = await Promise.all(
  agents.map(
    (agent) =>
      new Promise((resolve) => agent.listen({ onMessage: resolve, onDiagnostic() {}, onActivity() {} })),
  ),
);

const terminals = nodeTerminals();
const { terminalId } = await terminals.create({ command: process.execPath, args: program });
const output = await new Promise((resolve) => terminals.subscribe(terminalId, ({ text }) => resolve(text)));

// A program whose input has ended may write a second line at once.
const [first] = output.split('\n');
const pids = [...messages, JSON.parse(first)].flatMap(({ pid, children }) => [pid, ...children]);
scenarios[scenario]();
writeSync(1, `${JSON.stringify(pids)}\n`);
