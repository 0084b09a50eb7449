import { decodeUtf8 } from '../lines.ts';

const firstByteAboveAscii = 0x80;

/**
 * Decodes UTF-8 that arrives in pieces. A character that is cut waits for its rest. `TextDecoder` takes several times as
 * long for the short pieces of an event stream, so that it gets only what it is needed for.
 */
export function streamDecoder(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder();
  // It also removes a byte order mark at the beginning.
  let isNeeded = true;
  return (bytes) => {
    const last = bytes[bytes.length - 1];
    const endsWhole = last !== undefined && last < firstByteAboveAscii;
    if (!isNeeded && endsWhole) return decodeUtf8(bytes, 0, bytes.length);
    isNeeded = !endsWhole;
    return decoder.decode(bytes, { stream: true });
  };
}
