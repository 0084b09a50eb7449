// An agent's program whose stdin and stdout are those of a scripted agent in the test: `stdio-relay.mjs PORT NUMBER [CHILD]`.
// It connects twice: once for the bytes, and once for orders. It confirms each order. A child has no output or `shares` its.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { connect } from 'node:net';

const [port, number, child] = process.argv.slice(2);
if (child) spawn('sleep', ['600'], { stdio: ['ignore', child === 'shares' ? 1 : 'ignore', 'ignore'] });
const open = (kind) => {
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  socket.write(`${number} ${kind}\n`);
  socket.on('error', () => process.exit(1));
  return socket;
};

const bytes = open('bytes');
const orders = open('orders');
let ending = () => process.stdout.end();
process.stdin.pipe(bytes);
bytes.pipe(process.stdout, { end: false });
bytes.on('end', () => ending());
process.stdout.on('error', () => process.exit(1));

const does = {
  closeInput: () => {
    process.stdin.destroy();
    // Node leaves the file open.
    closeSync(0);
  },
  stopReading: () => process.stdin.unpipe().pause(),
  ignoreSignals: () => process.on('SIGTERM', () => {}),
  exit: ({ exitCode, signal, stderrTail, withChildren }) => {
    // When everything that the agent wrote has passed.
    ending = () =>
      process.stderr.write(stderrTail, () => {
        if (signal === null) process.exit(exitCode);
        else process.kill(withChildren ? -process.pid : process.pid, signal);
      });
  },
};
orders.on('data', (line) => {
  const { name, ...how } = JSON.parse(line);
  does[name](how);
  orders.write('done\n');
});
orders.on('end', () => process.exit());
