import * as v from 'valibot';
import { SessionStatus } from '../unstable.ts';
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

/** @experimental */
export const SessionStatusResponse = struct({ status: SessionStatus, _meta: meta });
/** @experimental */
export type SessionStatusResponse = v.InferOutput<typeof SessionStatusResponse>;
