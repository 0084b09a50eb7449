import { Writable } from 'node:stream';
import { Output } from '../../../src/programs/cli/print.ts';

/** An output of the command line to a file, and how many characters were written. */
export function countedOutput(): { readonly output: Output; readonly written: () => number } {
  let written = 0;
  const stream = () =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        written += chunk.length;
        done();
      },
    });
  const host = { stdout: stream(), stderr: stream(), env: {} };
  // Of a standard stream, the command line uses what a file has, and what only a terminal has if it is one.
  const output = new Output(host as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>);
  return { output, written: () => written };
}
