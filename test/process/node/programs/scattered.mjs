// Starts commands in sessions of their own: one whose parent is this program, one whose parent has exited, and one whose
// parent is another command. Answers `initialize`. Exits at the end of its input, or says that it came:
// scattered.mjs [stubborn]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onLine } from '../../../support/lines.mjs';

const sleeping = 'echo $$; exec sleep 987654';
const commands = [sleeping, `setsid sh -c '${sleeping}' &`, `setsid sh -c '${sleeping}' & wait`];
const children = await Promise.all(
  commands.map(async (command) => {
    const child = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [pid] = await once(child.stdout, 'data');
    child.stdout.destroy();
    return Number(pid);
  }),
);
const send = (message) => console.log(JSON.stringify(message));
send({ pid: process.pid, children });
onLine(process.stdin, (line) => {
  const { id } = JSON.parse(line);
  send({ jsonrpc: '2.0', id, result: { protocolVersion: 1, _meta: { children } } });
});
process.stdin.once('end', () => {
  if (process.argv[2] !== 'stubborn') process.exit();
  send({ input: 'ended' });
  setInterval(() => {}, 1000);
});
