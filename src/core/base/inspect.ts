/** The method that `console.log` of Node, Bun and Deno calls. A registered symbol, so that it needs no import. */
export const inspectMethod: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** What `console.log` passes to the method. */
type Inspect = (value: unknown, options: unknown) => string;

/** The method for an object whose state is behind getters: the name of its type, and these fields. */
export function inspectedAs(name: string, fields: object, options: unknown, inspect: Inspect): string {
  return `${name} ${inspect(fields, options)}`;
}
