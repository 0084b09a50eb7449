import { SessionStatus } from '../unstable.ts';
import * as v from '../vocabulary.ts';
import { NewSessionResponse, ResumeSessionRequest } from './session-setup.ts';

/**
 * The unstable parts of this version that differ in the other one. They may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const ForkSessionRequest = v.struct({
  ...ResumeSessionRequest.entries,
  /** Newer than the published schemas. */
  cursorId: v.optionalNullable(v.string()),
});
/** @experimental */
export type ForkSessionRequest = v.InferOutput<typeof ForkSessionRequest>;

/** @experimental */
export const ForkSessionResponse = NewSessionResponse;
/** @experimental */
export type ForkSessionResponse = v.InferOutput<typeof ForkSessionResponse>;

/** @experimental */
export const SessionStatusResponse = v.struct({ status: SessionStatus, _meta: v.meta });
/** @experimental */
export type SessionStatusResponse = v.InferOutput<typeof SessionStatusResponse>;
