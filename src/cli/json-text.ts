/** The control characters that JSON leaves as they are, and those that reorder text. */
const acting = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON that says the same, and cannot act on the terminal it is shown on. */
export function toJson(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value, null, 2).replace(acting, escaped)}\n`;
}
