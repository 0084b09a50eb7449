/** A value of JSON as an expression of JavaScript, on one line. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
