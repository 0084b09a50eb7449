import * as v from 'valibot';
import { StateUpdate } from '../both/state.ts';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import { SessionStatus, SessionStatusRequest } from '../unstable.ts';
import { meta, nullish, optionalNullable, rewritten, struct } from '../vocabulary.ts';
import { upgradeDraftSession } from './earlier-draft.ts';
import { NewSessionRequest, NewSessionResponse } from './session-setup.ts';

/**
 * The unstable parts of this version that differ in the other one. They may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const ForkSessionRequest = struct({
  ...NewSessionRequest.entries,
  sessionId: v.string(),
  /** Newer than the published schemas. */
  cursorId: optionalNullable(v.string()),
});
/** @experimental */
export type ForkSessionRequest = v.InferOutput<typeof ForkSessionRequest>;

/** @experimental */
export const ForkSessionResponse = NewSessionResponse;
/** @experimental */
export type ForkSessionResponse = v.InferOutput<typeof ForkSessionResponse>;

/** @see https://agentclientprotocol.com/rfds/session-fork */
export const forkSession = agentRequest({
  method: 'session/fork',
  params: ForkSessionRequest,
  result: rewritten(ForkSessionResponse, upgradeDraftSession),
  requires: 'session.fork',
  session: 'opens',
  uses: sessionFeatures,
});

/** @experimental */
export const SessionStatusResponse = struct({
  status: SessionStatus,
  state: nullish(StateUpdate),
  _meta: meta,
});
/** @experimental */
export type SessionStatusResponse = v.InferOutput<typeof SessionStatusResponse>;

/** @see https://agentclientprotocol.com/protocol/v2/draft/session-setup */
export const sessionStatus = agentRequest({
  method: 'session/status',
  params: SessionStatusRequest,
  result: SessionStatusResponse,
  requires: 'session.status',
  onSubagent: 'read',
});
