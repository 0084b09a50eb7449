// Leaves a child behind that holds stdout and stderr open and cannot be asked to end, and exits with code 7.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = spawn(process.execPath, [fileURLToPath(new URL('stubborn.mjs', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
// It is deaf to SIGTERM once it has spoken.
child.stdout.once('data', () => {
  const holder = spawn(
    process.execPath,
    ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  console.log(JSON.stringify({ pid: process.pid, children: [child.pid, holder.pid] }));
  process.exitCode = 7;
  child.unref();
  child.stdout.destroy();
  holder.unref();
  process.exit();
});
