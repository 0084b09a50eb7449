import type { Dialect, DialectName } from './dialect.ts';
import { inEditorPaths, type PathMap } from './path-map.ts';

/** The files of each version are loaded when an agent speaks it: a connection needs those of one. */
const loaders: Readonly<Record<DialectName, () => Promise<Dialect>>> = {
  v1: async () => (await import('./v1/index.ts')).v1,
  'v2-markers': async () => (await import('./v2/index.ts')).v2Markers,
  'v2-baseline': async () => (await import('./v2/index.ts')).v2Baseline,
};

/** Loads a dialect. With `paths`, it reads and writes the editor's paths. */
export async function loadDialect(name: DialectName, paths: PathMap | undefined): Promise<Dialect> {
  const dialect = await loaders[name]();
  return paths ? inEditorPaths(paths, dialect) : dialect;
}
