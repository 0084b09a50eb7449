import { cancelRequest } from '../both/cancellation.ts';
import { completeElicitation } from '../both/elicitation.ts';
import { sessionUpdate } from '../both/session-updates.ts';
import { type CallTable, descriptorsOf } from '../calls.ts';
import type { Dialect } from '../dialect.ts';
import { type AgentMethod, type ClientMethod, methodTable } from '../method.ts';
import * as unstable from '../unstable.ts';
import { providerMethods } from '../unstable-providers.ts';
import { baselineCalls, markerCalls } from './calls.ts';
import { createElicitation } from './elicitation.ts';
import { baselineFeatures, markerFeatures } from './features.ts';
import { normalize, normalizePermission } from './normalize.ts';
import { resumeSession } from './session-setup.ts';
import { requestPermission } from './tool-calls.ts';
import { sessionStatus } from './unstable.ts';

/** Version 2 of the protocol, as it is in Preview and in its alphas. */
export const v2Baseline: Dialect = {
  name: 'v2-baseline',
  protocolVersion: 2,
  features: baselineFeatures,
  calls: baselineCalls,
  agentMethods: agentMethods(baselineCalls),
  clientMethods: methodTable<ClientMethod>(
    sessionUpdate,
    requestPermission,
    createElicitation,
    completeElicitation,
    cancelRequest,
    ...unstable.clientMethods,
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
    resumeSession,
    sessionStatus,
    ...unstable.agentMethods,
    ...providerMethods,
  );
}
