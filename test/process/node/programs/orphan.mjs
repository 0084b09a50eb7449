// Leaves children behind that hold stdout and stderr open and ignore SIGTERM, and exits with code 7.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = spawn(process.execPath, [fileURLToPath(new URL('stubborn.mjs', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
// The child ignores SIGTERM after its first output.
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
