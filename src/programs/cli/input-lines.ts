import { constants } from 'node:buffer';
import { addAbortSignal, type Readable } from 'node:stream';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { LineDecoder, tooLong } from '../../core/transport/lines.ts';
import { usageError } from './errors.ts';

/**
 * The lines of a file or of stdin, and last what follows the last line feed. `node:readline` is not used: since Node 24
 * it also splits at U+2028, which is part of a line in JSON and in a prompt.
 */
export async function* inputLines(
  input: Readable,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const decoder = new LineDecoder(constants.MAX_STRING_LENGTH);
  try {
    for await (const chunk of addAbortSignal(signal, input)) {
      decoder.push(chunk);
      for (let line = decoder.take(); line !== undefined; line = decoder.take()) {
        if (line === tooLong) throw new Error('a line is longer than a string can be');
        yield line;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw usageError(`${name} cannot be read: ${errorMessage(error)}.`);
  }
  yield decoder.rest();
}
