import * as v from 'valibot';
import { SessionArchiveFilter } from '../unstable.ts';
import {
  absolutePath,
  lenientArray,
  meta,
  nullableString,
  nullish,
  optionalNullable,
  path,
  struct,
  withDefault,
} from '../vocabulary.ts';

export const SessionInfo = struct({
  sessionId: v.string(),
  cwd: path,
  additionalDirectories: nullish(lenientArray(path)),
  title: nullableString,
  updatedAt: nullableString,
  /** @experimental */
  archived: nullish(v.boolean()),
  _meta: meta,
});
export type SessionInfo = v.InferOutput<typeof SessionInfo>;

export const ListSessionsRequest = struct({
  cwd: optionalNullable(absolutePath),
  cursor: optionalNullable(v.string()),
  /** @experimental */
  archived: optionalNullable(SessionArchiveFilter),
  _meta: meta,
});
export type ListSessionsRequest = v.InferOutput<typeof ListSessionsRequest>;

export const ListSessionsResponse = struct({
  sessions: withDefault(lenientArray(SessionInfo), []),
  nextCursor: nullableString,
  _meta: meta,
});
export type ListSessionsResponse = v.InferOutput<typeof ListSessionsResponse>;

export const SessionInfoUpdate = struct({ title: nullableString, updatedAt: nullableString, _meta: meta });
export type SessionInfoUpdate = v.InferOutput<typeof SessionInfoUpdate>;
