// Leaves a daemon behind, in a process group of its own, that holds stdout and stderr open; ends with its input.
import { spawn } from 'node:child_process';

const daemon = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
  detached: true,
  stdio: ['ignore', 'inherit', 'inherit'],
});
daemon.unref();
console.log(JSON.stringify({ pid: process.pid, daemon: daemon.pid }));
process.stdin.resume();
process.stdin.once('end', () => process.exit());
