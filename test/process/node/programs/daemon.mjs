// Leaves a daemon behind, in its own session and without its parent, that holds stdout and stderr open.
import { spawn } from 'node:child_process';

const script = `
const daemon = require('node:child_process').spawn(
  process.execPath,
  ['-e', 'setInterval(() => {}, 1000)'],
  { detached: true, stdio: ['ignore', 3, 'inherit'] },
);
console.log(daemon.pid);
process.exit();
`;
const starter = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 1] });
starter.stdout.once('data', (pid) => {
  starter.once('exit', () => console.log(JSON.stringify({ pid: process.pid, daemon: Number(pid) })));
});
process.stdin.resume();
process.stdin.once('end', () => process.exit());
