import * as v from 'valibot';
import {
  type AgentMethod,
  agentNotification,
  agentRequest,
  type ClientMethod,
  clientNotification,
  clientRequest,
} from './method.ts';
import {
  absolutePath,
  count,
  json,
  jsonObject,
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  openEnum,
  optional,
  optionalNullable,
  struct,
} from './vocabulary.ts';

/**
 * The unstable parts of the protocol that are the same in both versions. They may change with any release.
 *
 * @experimental
 */

export const SystemPromptMode = openEnum<'append' | 'override'>();
export type SystemPromptMode = v.InferOutput<typeof SystemPromptMode>;

export const SessionArchiveFilter = openEnum<'exclude' | 'include' | 'only'>();
export type SessionArchiveFilter = v.InferOutput<typeof SessionArchiveFilter>;

/** An MCP server that the client provides over the connection to the agent. */
export const McpServerAcp = struct({ name: v.string(), serverId: v.string(), _meta: meta });
export type McpServerAcp = v.InferOutput<typeof McpServerAcp>;

/** @see https://agentclientprotocol.com/rfds/session-options */
export const SessionOptionsRequest = struct({
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  sessionId: optionalNullable(v.string()),
  _meta: meta,
});

const tokens = nullish(count);

export const Usage = struct({
  totalTokens: count,
  inputTokens: count,
  outputTokens: count,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: meta,
});
export type Usage = v.InferOutput<typeof Usage>;

const oneSession = struct({ sessionId: v.string(), _meta: meta });

export const ArchiveSessionRequest = oneSession;
export type ArchiveSessionRequest = v.InferOutput<typeof ArchiveSessionRequest>;

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const archiveSession = agentRequest({
  method: 'session/archive',
  params: ArchiveSessionRequest,
  result: json,
  requires: 'session.archive',
});

export const UnarchiveSessionRequest = oneSession;
export type UnarchiveSessionRequest = v.InferOutput<typeof UnarchiveSessionRequest>;

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const unarchiveSession = agentRequest({
  method: 'session/unarchive',
  params: UnarchiveSessionRequest,
  result: json,
  requires: 'session.archive',
});

/** Treat an unknown status as `saved`. */
export const SessionStatus = openEnum<'open' | 'saved'>();
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

export const SessionStatusRequest = oneSession;
export type SessionStatusRequest = v.InferOutput<typeof SessionStatusRequest>;

export const SetSessionTitleRequest = struct({ sessionId: v.string(), title: v.string(), _meta: meta });
export type SetSessionTitleRequest = v.InferOutput<typeof SetSessionTitleRequest>;

/** The title that the agent stored. It may differ from the requested one. */
export const SetSessionTitleResponse = struct({ title: v.string(), _meta: meta });
export type SetSessionTitleResponse = v.InferOutput<typeof SetSessionTitleResponse>;

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const setSessionTitle = agentRequest({
  method: 'session/set_title',
  params: SetSessionTitleRequest,
  result: SetSessionTitleResponse,
  requires: 'session.title',
});

export const AuthState = openEnum<'authenticated' | 'unauthenticated' | 'not_required' | 'unknown'>();
export type AuthState = v.InferOutput<typeof AuthState>;

export const AuthAccount = struct({
  label: v.string(),
  active: nullish(v.boolean()),
  name: nullableString,
  email: nullableString,
  organization: nullableString,
  _meta: meta,
});
export type AuthAccount = v.InferOutput<typeof AuthAccount>;

export const AuthStatusRequest = struct({ _meta: meta });
export type AuthStatusRequest = v.InferOutput<typeof AuthStatusRequest>;

export const AuthStatusResponse = struct({
  state: AuthState,
  accounts: lenient(lenientArray(AuthAccount)),
  _meta: meta,
});
export type AuthStatusResponse = v.InferOutput<typeof AuthStatusResponse>;

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatus = agentRequest({
  method: 'auth/status',
  params: AuthStatusRequest,
  result: AuthStatusResponse,
  requires: 'auth.status',
});

export const AuthStatusUpdateNotification = AuthStatusResponse;
export type AuthStatusUpdateNotification = v.InferOutput<typeof AuthStatusUpdateNotification>;

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatusUpdate = clientNotification({
  method: 'auth/status_update',
  params: AuthStatusUpdateNotification,
});

export const MessageMcpRequest = struct({
  serverId: v.string(),
  requestId: v.string(),
  method: v.string(),
  params: optionalNullable(jsonObject),
  _meta: meta,
});
export type MessageMcpRequest = v.InferOutput<typeof MessageMcpRequest>;

/**
 * A message to an MCP server that the client provides.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export const messageMcpServer = clientRequest({
  method: 'mcp/message',
  params: MessageMcpRequest,
  // The `result` or the `error` of the server.
  result: jsonObject,
});

export const MessageMcpNotification = MessageMcpRequest;
export type MessageMcpNotification = v.InferOutput<typeof MessageMcpNotification>;

/**
 * A message from an MCP server that the client provides.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export const messageMcpClient = agentNotification({
  method: 'mcp/message',
  params: MessageMcpNotification,
  requires: 'session.mcp.acp',
});

export const agentMethods: readonly AgentMethod[] = [
  archiveSession,
  unarchiveSession,
  setSessionTitle,
  authStatus,
  messageMcpClient,
];

export const clientMethods: readonly ClientMethod[] = [authStatusUpdate, messageMcpServer];
