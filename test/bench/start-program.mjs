import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts a program of `programs`, which prints its port as its first line and ends with its input. */
export async function startProgram(name, job) {
  const path = fileURLToPath(new URL(`programs/${name}`, import.meta.url));
  const program = spawn(process.execPath, [path, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(program, 'exit');
  const line = once(createInterface({ input: program.stdout }), 'line');
  const failed = exited.then(([code]) => {
    throw new Error(`${name} ended with the code ${code}.`);
  });
  const [port] = await Promise.race([line, failed]);
  failed.catch(() => {});
  return {
    port: Number(port),
    async end() {
      program.stdin.end();
      await exited;
    },
  };
}
