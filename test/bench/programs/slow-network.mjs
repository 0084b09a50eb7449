// A network with a latency, in front of a server on this machine: `node slow-network.mjs <JSON of { port, delayMs }>`.
// Each byte arrives `delayMs` later than it was sent, in both directions. Prints its port.
import { connect, createServer } from 'node:net';

const { port, delayMs } = JSON.parse(process.argv[2]);

/** Passes on what arrives, later. Timers with the same delay run in the order in which they were set. */
function carry(from, to) {
  from.setNoDelay(true);
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs));
  from.on('end', () => setTimeout(() => to.end(), delayMs));
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
  from.on('error', () => {});
}

const server = createServer({ allowHalfOpen: true }, (client) => {
  const target = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  carry(client, target);
  carry(target, client);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
// The benchmark that started it has ended.
process.stdin.on('end', () => process.exit()).resume();
