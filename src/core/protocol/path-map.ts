import type { Dialect } from './dialect.ts';

/** Registered, so that a map of the CommonJS copy of the package works with `connect` of the ESM copy. */
const brand: unique symbol = Symbol.for('acp-client-sdk.path-map') as never;

/** The paths of an agent that sees other ones than the editor. `pathMap` creates it. */
export interface PathMap {
  /**
   * The agent's path for a path of the editor, or for a `file:` URI. Any other text, and a path outside of all
   * directories, is returned unchanged. Never throws.
   */
  toAgent(path: string): string;
  /** The editor's path for a path of the agent, as {@link PathMap.toAgent} does it in the other direction. */
  toEditor(path: string): string;
  /** Only `pathMap` creates a map. */
  readonly [brand]: unknown;
}

/** The functions of a map. */
export type PathConversions = Pick<PathMap, 'toAgent' | 'toEditor'>;

/** Creates a map from its functions. `local` gives a dialect the editor's paths: without a map, no program has its code. */
export function createPathMap(
  conversions: PathConversions,
  local: (dialect: Dialect) => Promise<Dialect>,
): PathMap {
  return Object.freeze({ ...conversions, [brand]: local });
}

export function isPathMap(value: unknown): value is PathMap {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, brand) === 'function';
}

/** The dialect with the paths of the editor. */
export function inEditorPaths(paths: PathMap, dialect: Dialect): Promise<Dialect> {
  // `createPathMap` has put it there.
  return (paths[brand] as Parameters<typeof createPathMap>[1])(dialect);
}
