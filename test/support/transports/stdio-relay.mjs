// An agent's program whose stdin and stdout are those of a scripted agent in the test: `stdio-relay.mjs PORT NUMBER`.
// It connects twice: once for the bytes, and once for orders. It confirms each order.
import { connect } from 'node:net';

const [port, number] = process.argv.slice(2);
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
  closeInput: () => process.stdin.destroy(),
  exit: ({ exitCode, signal, stderrTail }) => {
    // When everything that the agent wrote has passed.
    ending = () =>
      process.stderr.write(stderrTail, () => {
        if (signal === null) process.exit(exitCode);
        else process.kill(process.pid, signal);
      });
  },
};
orders.on('data', (line) => {
  const { name, ...how } = JSON.parse(line);
  does[name](how);
  orders.write('done\n');
});
orders.on('end', () => process.exit());
