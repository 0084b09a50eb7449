// An editor that starts two agents and a terminal, and then comes to an end: editor.mjs <scenario> <agent program>
import { writeSync } from 'node:fs';
import process from 'node:process';
import { nodeTerminals, spawnAgent } from '../../../src/node/index.ts';

const [, , scenario, program] = process.argv;

/** What the editor does once everything runs. */
const scenarios = {
  waits: () => setInterval(() => {}, 1000),
  exits: () => setTimeout(() => process.exit(5)),
  throws: () => {
    setTimeout(() => {
      throw new Error('the editor has a bug');
    });
  },
  listens: () => setInterval(() => {}, 1000),
  // Another package that cleans up and passes the signal on, by the convention of signal-exit.
  cleans: () => {
    globalThis[Symbol.for('signal-exit emitter')] = { count: 1 };
    const onSignal = (signal) => {
      if (process.listeners(signal).length !== 1) return;
      process.off(signal, onSignal);
      process.kill(process.pid, signal);
    };
    process.on('SIGTERM', onSignal);
    setInterval(() => {}, 1000);
  },
};

if (scenario === 'listens') {
  // It takes one such signal as it likes, and ends by itself later. It listened before anything ran.
  process.once('SIGTERM', () => console.log('first'));
  process.once('SIGUSR2', () => process.exit(6));
}

const agents = [1, 2].map(() => spawnAgent({ command: process.execPath, args: [program] }));
const messages = await Promise.all(
  agents.map((agent) => new Promise((resolve) => agent.reader.listen(resolve))),
);

const terminals = nodeTerminals();
const { terminalId } = await terminals.create({ command: process.execPath, args: [program] });
const said = await new Promise((resolve) => terminals.subscribe(terminalId, ({ text }) => resolve(text)));

const pids = [...messages, JSON.parse(said)].flatMap(({ pid, children }) => [pid, ...children]);
scenarios[scenario]();
writeSync(1, `${JSON.stringify(pids)}\n`);
