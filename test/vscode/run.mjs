import { spawn } from '../support/spawn.mjs';

/**
 * Runs a program, and resolves to what it printed. What it prints is part of the error if it fails.
 *
 * @param options.signal - Ends the program.
 */
export async function run(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  }
  const end = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  if (end !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${end}:\n${printed}`);
  return printed;
}
