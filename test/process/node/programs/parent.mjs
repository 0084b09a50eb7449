// An agent with one child. Both end only by SIGKILL.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const stubborn = fileURLToPath(new URL('stubborn.mjs', import.meta.url));
process.on('SIGTERM', () => {});
process.stdin.resume();
const child = spawn(process.execPath, [stubborn], { stdio: ['ignore', 'pipe', 'ignore'] });
child.stdout.once('data', () => {
  console.log(JSON.stringify({ pid: process.pid, children: [child.pid] }));
});
