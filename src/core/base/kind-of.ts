const kinds = {
  string: 'a string',
  number: 'a number',
  bigint: 'a bigint',
  boolean: 'a boolean',
  symbol: 'a symbol',
  undefined: 'undefined',
  object: 'an object',
  function: 'a function',
} as const;

/** What kind of value it is, for a message that must not repeat the value. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : kinds[typeof value];
}
