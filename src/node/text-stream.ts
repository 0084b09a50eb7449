import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Calls `onText` with what `stream` brings, cut between characters wherever the bytes were cut. */
export function readText(stream: Readable, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  const pass = (text: string) => {
    if (text !== '') onText(text);
  };
  stream.on('data', (chunk: Buffer) => pass(decoder.write(chunk)));
  stream.on('end', () => pass(decoder.end()));
}
