import { EnvVariable, HttpHeader, SystemPromptMode } from '../both/session-setup.ts';
import { McpServerAcp } from '../unstable.ts';
import * as v from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { InitialSessionConfigOption } from './session-options.ts';
import { AvailableCommand } from './slash-commands.ts';

export const McpServerStdio = v.struct({
  name: v.string(),
  command: v.absolutePath,
  args: v.optional(v.array(v.string())),
  env: v.optional(v.array(EnvVariable)),
  _meta: v.meta,
});
export type McpServerStdio = v.InferOutput<typeof McpServerStdio>;

export const McpServerHttp = v.struct({
  name: v.string(),
  url: v.string(),
  headers: v.optional(v.array(HttpHeader)),
  _meta: v.meta,
});
export type McpServerHttp = v.InferOutput<typeof McpServerHttp>;

/** The types of custom transports begin with `_`. */
export const McpServer = v.openVariant(
  'type',
  {
    stdio: McpServerStdio,
    http: McpServerHttp,
    /** Removed in version 2. The schema accepts it, so that the capability check reports it. */
    sse: McpServerHttp,
    /** @experimental */
    acp: McpServerAcp,
  },
  { type: v.customTag('stdio or http, or a custom transport') },
);
export type McpServer = v.InferOutput<typeof McpServer>;

export const SystemPrompt = v.struct({
  mode: SystemPromptMode,
  content: v.nonEmptyArray(SentContentBlock),
  _meta: v.meta,
});
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;

export const NewSessionRequest = v.struct({
  cwd: v.absolutePath,
  additionalDirectories: v.optional(v.array(v.absolutePath)),
  mcpServers: v.optional(v.array(McpServer)),
  systemPrompt: v.optionalNullable(SystemPrompt),
  /** @experimental */
  configOptions: v.optional(v.array(InitialSessionConfigOption)),
  _meta: v.meta,
});
export type NewSessionRequest = v.InferOutput<typeof NewSessionRequest>;

export const ResumeSessionResponse = v.struct({
  configOptions: v.lenient(v.lenientArray(SessionConfigOption)),
  availableCommands: v.lenient(v.lenientArray(AvailableCommand)),
  _meta: v.meta,
});
export type ResumeSessionResponse = v.InferOutput<typeof ResumeSessionResponse>;

export const NewSessionResponse = v.struct({ ...ResumeSessionResponse.entries, sessionId: v.string() });
export type NewSessionResponse = v.InferOutput<typeof NewSessionResponse>;

export const ReplayFromStart = v.struct({ _meta: v.meta });
export type ReplayFromStart = v.InferOutput<typeof ReplayFromStart>;

export const ReplayFrom = v.openVariant('type', { start: ReplayFromStart });
export type ReplayFrom = v.InferOutput<typeof ReplayFrom>;

export const ResumeSessionRequest = v.struct({
  ...NewSessionRequest.entries,
  sessionId: v.string(),
  replayFrom: v.optionalNullable(ReplayFrom),
});
export type ResumeSessionRequest = v.InferOutput<typeof ResumeSessionRequest>;
