/**
 * Decodes base64 into a string of one character (U+0000 to U+00FF) a byte: JSON-safe, and joined in constant time.
 * Gives nothing for what is not base64; padding may be left out.
 */
export function decodeBase64(data: unknown): string | undefined {
  if (typeof data !== 'string') return undefined;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  const digitCount = data.length - padding;
  return digitCount % 4 === 1 ? undefined : decode(data, digitCount);
}

// Node's own decoder is many times faster than its `atob`.
const decode = typeof Buffer === 'function' ? decodeInNode : decodeInPage;

/** Where pieces of a terminal's output are decoded: they are small and many, and a buffer for each costs more. */
let scratch: Buffer | undefined;
const scratchBytes = 16 * 1024;

function decodeInNode(data: string, digitCount: number): string | undefined {
  const byteCount = Math.floor((digitCount * 3) / 4);
  scratch ??= Buffer.allocUnsafeSlow(scratchBytes);
  const bytes = byteCount > scratchBytes ? Buffer.allocUnsafe(byteCount) : scratch;
  // Node passes over what is no digit, so that bytes are missing; and it takes the alphabet for URLs as well.
  const isWhole = bytes.write(data, 'base64') === byteCount;
  return isWhole && !data.includes('-') && !data.includes('_')
    ? bytes.toString('latin1', 0, byteCount)
    : undefined;
}

function decodeInPage(data: string, digitCount: number): string | undefined {
  const digits = data.slice(0, digitCount);
  return /^[A-Za-z0-9+/]*$/.test(digits) ? atob(digits) : undefined;
}
