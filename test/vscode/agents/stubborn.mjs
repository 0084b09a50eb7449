// Ignores the end of its input and all signals that can be ignored, has a child that does the same in a process group of
// its own, and never ends a turn.
import { spawn } from 'node:child_process';
import { serve } from './serve.mjs';

const stay = () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE']) process.on(signal, () => {});
  setInterval(() => {}, 1000);
};
process.exit = () => {};
stay();
// The name is in the command of the child, so that a test can find it.
const child = ['-e', `(${stay})() // stubborn.mjs child`];
spawn(process.execPath, child, { detached: true, stdio: 'ignore' }).unref();

serve({
  name: 'stubborn-agent',
  title: 'Stubborn agent',
  async turn({ say }) {
    await say('I stay.');
    await new Promise(() => {});
  },
});
