import * as v from '../vocabulary.ts';

/** The first line is 1. */
export const ReadTextFileRequest = v.struct({
  sessionId: v.string(),
  path: v.path,
  line: v.optionalNullable(v.count),
  limit: v.optionalNullable(v.count),
  _meta: v.meta,
});
export type ReadTextFileRequest = v.InferOutput<typeof ReadTextFileRequest>;

export const ReadTextFileResponse = v.struct({ content: v.string(), _meta: v.meta });
export type ReadTextFileResponse = v.InferOutput<typeof ReadTextFileResponse>;

export const WriteTextFileRequest = v.struct({
  sessionId: v.string(),
  path: v.path,
  content: v.string(),
  _meta: v.meta,
});
export type WriteTextFileRequest = v.InferOutput<typeof WriteTextFileRequest>;
