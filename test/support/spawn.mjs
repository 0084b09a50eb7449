// `spawn` of Node for the programs that a test or a suite starts. They end with the process that started them, however it
// ends: after SIGKILL, Ctrl-C and `--bail` no hook of a test runs.
import { spawn as start } from 'node:child_process';
import { once } from 'node:events';

// A worker of vitest whose runner has gone would go on with its test. It cannot exit: vitest replaces `process.exit`.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** Its input is never written to, and ends with the process that holds it. Then it kills the program. */
const waitAndKill = 'read -r _; kill -s KILL "$0"';

export function spawn(...given) {
  const program = start(...given);
  if (program.pid === undefined || process.platform === 'win32') return program;
  const guard = start('/bin/sh', ['-c', waitAndKill, String(program.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a session of its own, so that Ctrl-C does not end it.
    detached: true,
  });
  guard.unref();
  guard.stdin.unref();
  program.once('exit', () => guard.kill());
  return program;
}

/** Ends a program if it runs. Resolves when it has ended. */
export async function endProgram(program, signal = 'SIGKILL') {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, 'exit');
  program.kill(signal);
  await exited;
}
