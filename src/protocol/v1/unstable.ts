import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import { SessionStatus, SessionStatusRequest } from '../unstable.ts';
import { meta, openVariant, optionalNullable, struct, uri } from '../vocabulary.ts';
import { Plan } from './agent-plan.ts';
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

/** @experimental */
export const PlanItems = struct({ ...Plan.entries, planId: v.string() });
/** @experimental */
export type PlanItems = v.InferOutput<typeof PlanItems>;

/** @experimental */
export const PlanFile = struct({ planId: v.string(), uri, _meta: meta });
/** @experimental */
export type PlanFile = v.InferOutput<typeof PlanFile>;

/** @experimental */
export const PlanMarkdown = struct({ planId: v.string(), content: v.string(), _meta: meta });
/** @experimental */
export type PlanMarkdown = v.InferOutput<typeof PlanMarkdown>;

/** @experimental */
export const PlanUpdateContent = openVariant(
  'type',
  { items: PlanItems, file: PlanFile, markdown: PlanMarkdown },
  { planId: v.string() },
);
/** @experimental */
export type PlanUpdateContent = v.InferOutput<typeof PlanUpdateContent>;

/** @experimental */
export const PlanUpdate = struct({ plan: PlanUpdateContent, _meta: meta });
/** @experimental */
export type PlanUpdate = v.InferOutput<typeof PlanUpdate>;

/** @experimental */
export const PlanRemoved = struct({ planId: v.string(), _meta: meta });
/** @experimental */
export type PlanRemoved = v.InferOutput<typeof PlanRemoved>;
