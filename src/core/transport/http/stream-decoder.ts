import { decodeUtf8 } from '../lines.ts';

const firstByteAboveAscii = 0x80;

/**
 * Decodes UTF-8 that arrives in pieces. A character that is cut waits for its rest. Each end of a line is LF: event streams
 * can also have CR and CRLF, and a parser does not know at a CR whether an LF follows in the next piece.
 */
export function streamDecoder(): (bytes: Uint8Array) => string {
  const decode = utf8Decoder();
  let endsWithCr = false;
  return (bytes) => {
    const piece = decode(bytes);
    if (piece === '') return piece;
    const text = endsWithCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    endsWithCr = piece.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  };
}

/** `TextDecoder` takes several times as long for the short pieces of a stream, so that it gets only what it is needed for. */
function utf8Decoder(): (bytes: Uint8Array) => string {
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
