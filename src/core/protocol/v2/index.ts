import * as both from '../both/methods.ts';
import { type CallTable, descriptorsOf } from '../calls.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentMethod, type ClientMethod, methodTable } from '../method.ts';
import { baselineCalls, markerCalls } from './calls.ts';
import { baselineFeatures, markerFeatures } from './features.ts';
import * as methods from './methods.ts';
import { normalize, normalizePermission } from './normalize.ts';

/** Version 2 of the protocol, as it is in Preview and in its alphas. */
export const v2Baseline: Dialect = {
  name: 'v2-baseline',
  protocolVersion: 2,
  features: baselineFeatures,
  calls: baselineCalls,
  agentMethods: agentMethods(baselineCalls),
  clientMethods: methodTable<ClientMethod>(
    methods.requestPermission,
    methods.createElicitation,
    ...both.clientMethods,
  ),
  normalize,
  normalizePermission,
  endOfTurn: 'state_update',
  hasPromptKeys: true,
};

/** An earlier draft of version 2, in which an agent advertises load, resume, close and list separately. */
export const v2Markers: Dialect = {
  ...v2Baseline,
  name: 'v2-markers',
  features: markerFeatures,
  calls: markerCalls,
  agentMethods: agentMethods(markerCalls),
};

/**
 * `loadSession` uses `session/resume` as well. The table has the plain method, whose features depend on the parameters.
 */
function agentMethods(calls: CallTable) {
  return methodTable<AgentMethod>(
    ...descriptorsOf(calls),
    methods.resumeSession,
    methods.sessionStatus,
    ...both.agentMethods,
  );
}
