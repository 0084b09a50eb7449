import { once } from 'node:events';
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
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${printed}`);
  return printed;
}
