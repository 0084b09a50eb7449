import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Calls `onText` with the UTF-8 text that `stream` delivers. Does not split characters. */
export function readText(stream: Readable, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  const deliver = (text: string) => {
    if (text !== '') onText(text);
  };
  stream.on('data', (chunk: Buffer) => deliver(decoder.write(chunk)));
  stream.on('end', () => deliver(decoder.end()));
}
