/**
 * Decodes base64 into a string with one character (U+0000 to U+00FF) for each byte. Such a string is JSON-safe and
 * cheap to concatenate. Padding is optional. Returns `undefined` for invalid base64.
 */
export function decodeBase64(data: unknown): string | undefined {
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

function decodeInNode(data: string, digitCount: number): string | undefined {
  const byteCount = Math.floor((digitCount * 3) / 4);
  scratch ??= Buffer.allocUnsafeSlow(scratchBytes);
  const bytes = byteCount > scratchBytes ? Buffer.allocUnsafe(byteCount) : scratch;
  // Node skips invalid characters, so that bytes are missing, and also accepts the URL-safe alphabet.
  const isComplete = bytes.write(data, 'base64') === byteCount;
  return isComplete && !data.includes('-') && !data.includes('_')
    ? bytes.toString('latin1', 0, byteCount)
    : undefined;
}

function decodeInBrowser(data: string, digitCount: number): string | undefined {
  const digits = data.slice(0, digitCount);
  return /^[A-Za-z0-9+/]*$/.test(digits) ? atob(digits) : undefined;
}
