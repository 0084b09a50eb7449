/** Text as UTF-8, in a string with one character (U+0000 to U+00FF) for each byte, as terminals keep their output. */
export function utf8Bytes(text: string): string {
  return nonAscii.test(text) ? encode(text) : text;
}

const nonAscii = /[\u0080-\uffff]/;

// `Buffer` is many times faster than `String.fromCharCode` in Node.
const encode = typeof Buffer === 'function' ? encodeInNode : encodeInBrowser;

function encodeInNode(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** `String.fromCharCode` takes a limited number of arguments. */
const pieceBytes = 8192;

function encodeInBrowser(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let encoded = '';
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    encoded += String.fromCharCode(...bytes.subarray(start, start + pieceBytes));
  }
  return encoded;
}
