import * as v from 'valibot';
import { isJsonObject } from '../../base/json.ts';
import { EnvVariable, HttpHeader, SystemPromptMode } from '../both/session-setup.ts';
import { McpServerAcp } from '../unstable.ts';
import {
  absolutePath,
  lenientArray,
  meta,
  nonEmptyArray,
  nullish,
  optional,
  optionalNullable,
  refusing,
  type Schema,
  struct,
  type Tagged,
} from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { SessionModelState } from './session-models.ts';
import { SessionModeState } from './session-modes.ts';
import { InitialSessionConfigOption } from './session-options.ts';

export const McpServerStdio = struct({
  name: v.string(),
  command: absolutePath,
  args: v.array(v.string()),
  env: v.array(EnvVariable),
  _meta: meta,
});
export type McpServerStdio = v.InferOutput<typeof McpServerStdio>;

export const McpServerHttp = struct({
  name: v.string(),
  url: v.string(),
  headers: v.array(HttpHeader),
  _meta: meta,
});
export type McpServerHttp = v.InferOutput<typeof McpServerHttp>;

export const McpServerSse = McpServerHttp;
export type McpServerSse = v.InferOutput<typeof McpServerSse>;

const transports = {
  stdio: McpServerStdio,
  http: McpServerHttp,
  sse: McpServerSse,
  /** @experimental */
  acp: McpServerAcp,
};

const unknownTransport = struct({
  type: refusing(
    v.custom<never>(
      () => false,
      ({ received }) => `must be stdio, http or sse in version 1; got ${received}`,
    ),
  ),
});

type Transport = ({ type?: never } & McpServerStdio) | Tagged<'type', typeof transports>;

/** The stdio transport has no `type`. */
export const McpServer = v.lazy((input) => {
  const type = isJsonObject(input) ? (input['type'] ?? 'stdio') : 'stdio';
  return Object.hasOwn(transports, String(type))
    ? transports[type as keyof typeof transports]
    : unknownTransport;
  // The getter selects by tag, which its type cannot express.
}) as unknown as Schema<Transport>;
export type McpServer = v.InferOutput<typeof McpServer>;

export const SystemPrompt = struct({
  mode: SystemPromptMode,
  content: nonEmptyArray(SentContentBlock),
  _meta: meta,
});
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;

const workspace = {
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  systemPrompt: optionalNullable(SystemPrompt),
  /** @experimental */
  configOptions: optional(v.array(InitialSessionConfigOption)),
  _meta: meta,
};

export const NewSessionRequest = struct({ ...workspace, mcpServers: v.array(McpServer) });
export type NewSessionRequest = v.InferOutput<typeof NewSessionRequest>;

const opened = {
  modes: nullish(SessionModeState),
  configOptions: nullish(lenientArray(SessionConfigOption)),
  models: nullish(SessionModelState),
  _meta: meta,
};

export const NewSessionResponse = struct({ ...opened, sessionId: v.string() });
export type NewSessionResponse = v.InferOutput<typeof NewSessionResponse>;

export const LoadSessionRequest = struct({ ...NewSessionRequest.entries, sessionId: v.string() });
export type LoadSessionRequest = v.InferOutput<typeof LoadSessionRequest>;

export const LoadSessionResponse = struct(opened);
export type LoadSessionResponse = v.InferOutput<typeof LoadSessionResponse>;

export const ResumeSessionRequest = struct({
  ...workspace,
  sessionId: v.string(),
  mcpServers: optional(v.array(McpServer)),
});
export type ResumeSessionRequest = v.InferOutput<typeof ResumeSessionRequest>;

export const ResumeSessionResponse = LoadSessionResponse;
export type ResumeSessionResponse = v.InferOutput<typeof ResumeSessionResponse>;
