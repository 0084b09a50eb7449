/** How many characters a value has as JSON. */
export function sizeOf(value: unknown): number {
  // A value without JSON is `undefined`.
  return JSON.stringify(value)?.length ?? 0;
}
