import * as v from 'valibot';
import { count, meta, optionalNullable, path, struct } from '../vocabulary.ts';

/** The first line is 1. */
export const ReadTextFileRequest = struct({
  sessionId: v.string(),
  path,
  line: optionalNullable(count),
  limit: optionalNullable(count),
  _meta: meta,
});
export type ReadTextFileRequest = v.InferOutput<typeof ReadTextFileRequest>;

export const ReadTextFileResponse = struct({ content: v.string(), _meta: meta });
export type ReadTextFileResponse = v.InferOutput<typeof ReadTextFileResponse>;

export const WriteTextFileRequest = struct({
  sessionId: v.string(),
  path,
  content: v.string(),
  _meta: meta,
});
export type WriteTextFileRequest = v.InferOutput<typeof WriteTextFileRequest>;
