import * as v from 'valibot';
import { clientRequest } from '../method.ts';
import { count, empty, meta, optionalNullable, struct } from '../vocabulary.ts';

const page = 'https://agentclientprotocol.com/protocol/v1/file-system';

/** `line` counts from 1. */
export const ReadTextFileRequest = struct({
  sessionId: v.string(),
  path: v.string(),
  line: optionalNullable(count),
  limit: optionalNullable(count),
  _meta: meta,
});
export type ReadTextFileRequest = v.InferOutput<typeof ReadTextFileRequest>;

export const ReadTextFileResponse = struct({ content: v.string(), _meta: meta });
export type ReadTextFileResponse = v.InferOutput<typeof ReadTextFileResponse>;

export const readTextFile = clientRequest({
  method: 'fs/read_text_file',
  params: ReadTextFileRequest,
  result: ReadTextFileResponse,
  spec: `${page}#reading-files`,
});

export const WriteTextFileRequest = struct({
  sessionId: v.string(),
  path: v.string(),
  content: v.string(),
  _meta: meta,
});
export type WriteTextFileRequest = v.InferOutput<typeof WriteTextFileRequest>;

export const writeTextFile = clientRequest({
  method: 'fs/write_text_file',
  params: WriteTextFileRequest,
  result: empty,
  spec: `${page}#writing-files`,
});
