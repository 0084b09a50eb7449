import type { ServerResponse } from 'node:http';
import { settlesWithin } from '../../core/base/wait.ts';

/**
 * Writes a part of an answer. Resolves when the response takes more. Returns whether the reader was not too slow: for one
 * that is, the response is to be destroyed.
 */
export async function writePart(
  response: ServerResponse,
  part: Uint8Array | string,
  limitMs: number,
): Promise<boolean> {
  if (response.destroyed || response.write(part)) return true;
  return settlesWithin(drained(response), limitMs);
}

/** Resolves when a response takes more, or has ended. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
