import { isJsonObject } from '../../base/json.ts';
import { EnvVariable, HttpHeader, SystemPromptMode } from '../both/session-setup.ts';
import { McpServerAcp } from '../unstable.ts';
import * as v from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { SessionModelState } from './session-models.ts';
import { SessionModeState } from './session-modes.ts';
import { InitialSessionConfigOption } from './session-options.ts';

export const McpServerStdio = v.struct({
  name: v.string(),
  command: v.absolutePath,
  args: v.array(v.string()),
  env: v.array(EnvVariable),
  _meta: v.meta,
});
export type McpServerStdio = v.InferOutput<typeof McpServerStdio>;

export const McpServerHttp = v.struct({
  name: v.string(),
  url: v.string(),
  headers: v.array(HttpHeader),
  _meta: v.meta,
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

const unknownTransport = v.struct({
  type: v.refusing(
    v.custom<never>(
      () => false,
      ({ received }) => `must be stdio, http or sse in version 1; got ${received}`,
    ),
  ),
});

type Transport = ({ type?: never } & McpServerStdio) | v.Tagged<'type', typeof transports>;

/** The stdio transport has no `type`. */
export const McpServer = v.lazy((input) => {
  const type = isJsonObject(input) ? (input['type'] ?? 'stdio') : 'stdio';
  return Object.hasOwn(transports, String(type))
    ? transports[type as keyof typeof transports]
    : unknownTransport;
  // The getter selects by tag, which its type cannot express.
}) as unknown as v.Schema<Transport>;
export type McpServer = v.InferOutput<typeof McpServer>;

export const SystemPrompt = v.struct({
  mode: SystemPromptMode,
  content: v.nonEmptyArray(SentContentBlock),
  _meta: v.meta,
});
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;

const workspace = {
  cwd: v.absolutePath,
  additionalDirectories: v.optional(v.array(v.absolutePath)),
  systemPrompt: v.optionalNullable(SystemPrompt),
  /** @experimental */
  configOptions: v.optional(v.array(InitialSessionConfigOption)),
  _meta: v.meta,
};

export const NewSessionRequest = v.struct({ ...workspace, mcpServers: v.array(McpServer) });
export type NewSessionRequest = v.InferOutput<typeof NewSessionRequest>;

const opened = {
  modes: v.nullish(SessionModeState),
  configOptions: v.nullish(v.lenientArray(SessionConfigOption)),
  models: v.nullish(SessionModelState),
  _meta: v.meta,
};

export const NewSessionResponse = v.struct({ ...opened, sessionId: v.string() });
export type NewSessionResponse = v.InferOutput<typeof NewSessionResponse>;

export const LoadSessionRequest = v.struct({ ...NewSessionRequest.entries, sessionId: v.string() });
export type LoadSessionRequest = v.InferOutput<typeof LoadSessionRequest>;

export const LoadSessionResponse = v.struct(opened);
export type LoadSessionResponse = v.InferOutput<typeof LoadSessionResponse>;

export const ResumeSessionRequest = v.struct({
  ...workspace,
  sessionId: v.string(),
  mcpServers: v.optional(v.array(McpServer)),
});
export type ResumeSessionRequest = v.InferOutput<typeof ResumeSessionRequest>;

export const ResumeSessionResponse = LoadSessionResponse;
export type ResumeSessionResponse = v.InferOutput<typeof ResumeSessionResponse>;
