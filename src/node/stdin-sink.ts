import type { Writable } from 'node:stream';
import type { ByteSink } from '../transport/ndjson.ts';

/**
 * Where messages to a program go. A program that no longer reads is no failed write: what it was sent is answered by
 * its end, which says why.
 * @param ended resolves when the channel has ended
 * @param onBroken is called when the program has closed its input
 */
export function stdinSink(stdin: Writable, ended: Promise<unknown>, onBroken: () => void): ByteSink {
  stdin.on('error', onBroken);
  return {
    write(chunk, done) {
      if (stdin.writable) stdin.write(chunk, () => done());
      else done();
    },
    end() {
      stdin.end();
    },
    on(event: 'error' | 'close', listener: (error: Error) => void) {
      // Not when the pipe closes: messages that the program wrote before may still be on their way.
      // The close listener takes no argument; the overloads of ByteSink are wider here only for 'error'.
      if (event === 'close') void ended.then(listener as () => void);
    },
  };
}
