// Starts a child in its own session, which ends only by SIGKILL. Exits at the end of its input: detached.mjs [stubborn]
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const isStubborn = process.argv[2] === 'stubborn';
if (isStubborn) process.on('SIGTERM', () => {});
const child = spawn(process.execPath, [fileURLToPath(new URL('stubborn.mjs', import.meta.url))], {
  detached: true,
  stdio: ['ignore', 'pipe', 'ignore'],
});
child.stdout.once('data', () => {
  console.log(JSON.stringify({ pid: process.pid, children: [child.pid] }));
});
process.stdin.resume();
process.stdin.once('end', () => {
  if (!isStubborn) process.exit();
});
