import { SessionArchiveFilter } from '../unstable.ts';
import * as v from '../vocabulary.ts';

export const SessionInfo = v.struct({
  sessionId: v.string(),
  cwd: v.path,
  additionalDirectories: v.nullish(v.lenientArray(v.path)),
  title: v.nullableString,
  updatedAt: v.nullableString,
  /** @experimental */
  archived: v.nullish(v.boolean()),
  _meta: v.meta,
});
export type SessionInfo = v.InferOutput<typeof SessionInfo>;

export const ListSessionsRequest = v.struct({
  cwd: v.optionalNullable(v.absolutePath),
  cursor: v.optionalNullable(v.string()),
  /** @experimental */
  archived: v.optionalNullable(SessionArchiveFilter),
  _meta: v.meta,
});
export type ListSessionsRequest = v.InferOutput<typeof ListSessionsRequest>;

export const ListSessionsResponse = v.struct({
  sessions: v.withDefault(v.lenientArray(SessionInfo), []),
  nextCursor: v.nullableString,
  _meta: v.meta,
});
export type ListSessionsResponse = v.InferOutput<typeof ListSessionsResponse>;

export const SessionInfoUpdate = v.struct({
  title: v.nullableString,
  updatedAt: v.nullableString,
  _meta: v.meta,
});
export type SessionInfoUpdate = v.InferOutput<typeof SessionInfoUpdate>;

export const DeleteSessionRequest = v.struct({ sessionId: v.string(), _meta: v.meta });
export type DeleteSessionRequest = v.InferOutput<typeof DeleteSessionRequest>;
