import type { Dialect, DialectName } from './dialect.ts';
import { v1 } from './v1/index.ts';
import { v2Baseline, v2Markers } from './v2/index.ts';

/** All dialects, for what reads the messages of any agent. A connection loads the one that its agent speaks. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  v1,
  'v2-markers': v2Markers,
  'v2-baseline': v2Baseline,
};
