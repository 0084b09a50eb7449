import * as v from 'valibot';
import { EnvVariable, HttpHeader, SystemPromptMode } from '../both/session-setup.ts';
import { McpServerAcp } from '../unstable.ts';
import {
  absolutePath,
  customTag,
  lenient,
  lenientArray,
  meta,
  nonEmptyArray,
  openVariant,
  optional,
  optionalNullable,
  struct,
} from '../vocabulary.ts';
import { SentContentBlock } from './content.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { InitialSessionConfigOption } from './session-options.ts';
import { AvailableCommand } from './slash-commands.ts';

export const McpServerStdio = struct({
  name: v.string(),
  command: absolutePath,
  args: optional(v.array(v.string())),
  env: optional(v.array(EnvVariable)),
  _meta: meta,
});
export type McpServerStdio = v.InferOutput<typeof McpServerStdio>;

export const McpServerHttp = struct({
  name: v.string(),
  url: v.string(),
  headers: optional(v.array(HttpHeader)),
  _meta: meta,
});
export type McpServerHttp = v.InferOutput<typeof McpServerHttp>;

/** The types of custom transports begin with `_`. */
export const McpServer = openVariant(
  'type',
  {
    stdio: McpServerStdio,
    http: McpServerHttp,
    /** Removed in version 2. The schema accepts it, so that the capability check reports it. */
    sse: McpServerHttp,
    /** @experimental */
    acp: McpServerAcp,
  },
  { type: customTag('stdio or http, or a custom transport') },
);
export type McpServer = v.InferOutput<typeof McpServer>;

export const SystemPrompt = struct({
  mode: SystemPromptMode,
  content: nonEmptyArray(SentContentBlock),
  _meta: meta,
});
export type SystemPrompt = v.InferOutput<typeof SystemPrompt>;

export const NewSessionRequest = struct({
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  mcpServers: optional(v.array(McpServer)),
  systemPrompt: optionalNullable(SystemPrompt),
  /** @experimental */
  configOptions: optional(v.array(InitialSessionConfigOption)),
  _meta: meta,
});
export type NewSessionRequest = v.InferOutput<typeof NewSessionRequest>;

export const ResumeSessionResponse = struct({
  configOptions: lenient(lenientArray(SessionConfigOption)),
  availableCommands: lenient(lenientArray(AvailableCommand)),
  _meta: meta,
});
export type ResumeSessionResponse = v.InferOutput<typeof ResumeSessionResponse>;

export const NewSessionResponse = struct({ ...ResumeSessionResponse.entries, sessionId: v.string() });
export type NewSessionResponse = v.InferOutput<typeof NewSessionResponse>;

export const ReplayFromStart = struct({ _meta: meta });
export type ReplayFromStart = v.InferOutput<typeof ReplayFromStart>;

export const ReplayFrom = openVariant('type', { start: ReplayFromStart });
export type ReplayFrom = v.InferOutput<typeof ReplayFrom>;

export const ResumeSessionRequest = struct({
  ...NewSessionRequest.entries,
  sessionId: v.string(),
  replayFrom: optionalNullable(ReplayFrom),
});
export type ResumeSessionRequest = v.InferOutput<typeof ResumeSessionRequest>;
