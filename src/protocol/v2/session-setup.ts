import * as v from 'valibot';
import { agentRequest } from '../method.ts';
import { resumeFeatures, sessionFeatures } from '../param-features.ts';
import { McpServerAcp } from '../unstable.ts';
import {
  absolutePath,
  json,
  lenient,
  lenientArray,
  meta,
  openVariant,
  optional,
  optionalNullable,
  rewritten,
  struct,
} from '../vocabulary.ts';
import { EnvVariable } from './authentication.ts';
import { upgradeDraftSession } from './earlier-draft.ts';
import { SessionConfigOption } from './session-config-options.ts';
import { AvailableCommand } from './slash-commands.ts';
import { SystemPrompt } from './unstable-fields.ts';

export const HttpHeader = struct({ name: v.string(), value: v.string(), _meta: meta });
export type HttpHeader = v.InferOutput<typeof HttpHeader>;

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

const ownTransport = v.pipe(
  v.string(),
  v.check(
    (type) => type.startsWith('_'),
    ({ received }) =>
      `must be stdio or http, or a transport of the agent's own, which begins with _, and is ${received}`,
  ),
);

/** Other transports are an agent's own, and their names begin with `_`. */
export const McpServer = openVariant(
  'type',
  {
    stdio: McpServerStdio,
    http: McpServerHttp,
    /** Gone from this version. It is read so that its gate can say so. */
    sse: McpServerHttp,
    /** @experimental */
    acp: McpServerAcp,
  },
  { type: ownTransport },
);
export type McpServer = v.InferOutput<typeof McpServer>;

export const NewSessionRequest = struct({
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  mcpServers: optional(v.array(McpServer)),
  /** @experimental */
  systemPrompt: optionalNullable(SystemPrompt),
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

/** @see https://agentclientprotocol.com/protocol/v2/session-setup#creating-a-session */
export const newSession = agentRequest({
  method: 'session/new',
  params: NewSessionRequest,
  result: rewritten(NewSessionResponse, upgradeDraftSession),
  requires: 'session',
  uses: sessionFeatures,
});

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

const opened = rewritten(ResumeSessionResponse, upgradeDraftSession);

/** @see https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions */
export const resumeSession = agentRequest({
  method: 'session/resume',
  params: ResumeSessionRequest,
  result: opened,
  requires: 'session.resume',
  uses: resumeFeatures,
});

/**
 * The same method, asked to replay: this version's way to load a session.
 *
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions
 */
export const resumeWithReplay = agentRequest({
  method: 'session/resume',
  params: ResumeSessionRequest,
  result: opened,
  requires: 'session.load',
  uses: sessionFeatures,
});

/**
 * Gone from this version since; an agent of an earlier draft replays with it.
 *
 * @see https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions
 */
export const loadSession = agentRequest({
  method: 'session/load',
  params: struct({ ...NewSessionRequest.entries, sessionId: v.string() }),
  result: opened,
  requires: 'session.load',
  uses: sessionFeatures,
});

export const CloseSessionRequest = struct({ sessionId: v.string(), _meta: meta });
export type CloseSessionRequest = v.InferOutput<typeof CloseSessionRequest>;

/** @see https://agentclientprotocol.com/protocol/v2/session-setup#closing-active-sessions */
export const closeSession = agentRequest({
  method: 'session/close',
  params: CloseSessionRequest,
  result: json,
  requires: 'session.close',
});
