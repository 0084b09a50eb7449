import type { Writable } from 'node:stream';
import type { ByteOutput } from '../transport/byte-streams.ts';

/**
 * Writes to the input of a program. A write to a program that no longer reads does not fail: the calls that wait reject
 * when the program ends, with the reason.
 *
 * @param onBroken - Called when the program has closed its input.
 */
export function stdinOutput(stdin: Writable, onBroken: () => void): ByteOutput {
  stdin.on('error', onBroken);
  return {
    write: (text) =>
      new Promise<void>((resolve) => {
        if (stdin.writable) stdin.write(text, () => resolve());
        else resolve();
      }),
    end: () => void stdin.end(),
  };
}
