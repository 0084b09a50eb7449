import * as v from 'valibot';
import { clientRequest } from '../method.ts';
import { count, empty, meta, optionalNullable, path, struct } from '../vocabulary.ts';

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

/** @see https://agentclientprotocol.com/protocol/v1/file-system#reading-files */
export const readTextFile = clientRequest({
  method: 'fs/read_text_file',
  params: ReadTextFileRequest,
  result: ReadTextFileResponse,
});

export const WriteTextFileRequest = struct({
  sessionId: v.string(),
  path,
  content: v.string(),
  _meta: meta,
});
export type WriteTextFileRequest = v.InferOutput<typeof WriteTextFileRequest>;

/** @see https://agentclientprotocol.com/protocol/v1/file-system#writing-files */
export const writeTextFile = clientRequest({
  method: 'fs/write_text_file',
  params: WriteTextFileRequest,
  result: empty,
});
