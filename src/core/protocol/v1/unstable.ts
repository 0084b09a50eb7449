import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import { SessionStatus, SessionStatusRequest } from '../unstable.ts';
import { meta, optionalNullable, struct } from '../vocabulary.ts';
import { NewSessionResponse, ResumeSessionRequest } from './session-setup.ts';

/**
 * The unstable parts of this version that differ in the other one. They may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const ForkSessionRequest = struct({
  ...ResumeSessionRequest.entries,
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
  result: ForkSessionResponse,
  requires: 'session.fork',
  session: 'opens',
  uses: sessionFeatures,
});

/** @experimental */
export const SessionStatusResponse = struct({ status: SessionStatus, _meta: meta });
/** @experimental */
export type SessionStatusResponse = v.InferOutput<typeof SessionStatusResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/draft/session-setup */
export const sessionStatus = agentRequest({
  method: 'session/status',
  params: SessionStatusRequest,
  result: SessionStatusResponse,
  requires: 'session.status',
  onSubagent: 'read',
});
