import type { SubagentUpdate } from '../model/update.ts';
import { cancelRequest, sessionUpdate } from './both/methods.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { v1 } from './v1/index.ts';
import { v2Baseline, v2Markers } from './v2/index.ts';

/** All dialects, for what reads the messages of any agent. A connection loads the one that its agent speaks. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  v1,
  'v2-markers': v2Markers,
  'v2-baseline': v2Baseline,
};

/** What all versions say of methods and sessions, for a transport that does not know the version. */
export const sessionMethods = {
  // Only version 2 can resume with a replay.
  calls: { ...v1.agentMethods, ...v2Markers.agentMethods, ...v2Baseline.agentMethods },
  initialize: 'initialize',
  cancelRequest: cancelRequest.method,
  sessionUpdate: sessionUpdate.method,
  subagentUpdate: 'subagent_update' satisfies SubagentUpdate['sessionUpdate'],
};
