/**
 * Decodes base64. Padding is optional. Returns `undefined` for invalid base64. The bytes are valid until the next call.
 */
export function decodeBase64(data: unknown): Uint8Array | undefined {
  if (typeof data !== 'string') return undefined;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  const digitCount = data.length - padding;
  return digitCount % 4 === 1 ? undefined : decode(data, digitCount);
}

// `Buffer` is many times faster than `atob` in Node.
const decode = typeof Buffer === 'function' ? decodeInNode : decodeInBrowser;

/** Shared buffer for small inputs. Terminal output arrives in many small chunks. */
let scratch: Buffer | undefined;
const scratchBytes = 16 * 1024;

function decodeInNode(data: string, digitCount: number): Uint8Array | undefined {
  const byteCount = Math.floor((digitCount * 3) / 4);
  scratch ??= Buffer.allocUnsafeSlow(scratchBytes);
  const bytes = byteCount > scratchBytes ? Buffer.allocUnsafe(byteCount) : scratch;
  // Node skips invalid characters, so that bytes are missing, and also accepts the URL-safe alphabet.
  const isComplete = bytes.write(data, 'base64') === byteCount;
  return isComplete && !data.includes('-') && !data.includes('_') ? bytes.subarray(0, byteCount) : undefined;
}

function decodeInBrowser(data: string, digitCount: number): Uint8Array | undefined {
  const digits = data.slice(0, digitCount);
  return /^[A-Za-z0-9+/]*$/.test(digits) ? bytesOf(atob(digits)) : undefined;
}

/** The bytes of a string with one character (U+0000 to U+00FF) for each byte. */
export function bytesOf(characters: string): Uint8Array {
  const bytes = new Uint8Array(characters.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = characters.charCodeAt(index);
  return bytes;
}
