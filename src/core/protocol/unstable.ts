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

/** @experimental */
export const SessionArchiveFilter = openEnum<'exclude' | 'include' | 'only'>();
/** @experimental */
export type SessionArchiveFilter = v.InferOutput<typeof SessionArchiveFilter>;

/** An MCP server that the client provides over the connection to the agent. @experimental */
export const McpServerAcp = struct({ name: v.string(), serverId: v.string(), _meta: meta });
/** @experimental */
export type McpServerAcp = v.InferOutput<typeof McpServerAcp>;

/**
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-options
 */
export const SessionOptionsRequest = struct({
  cwd: absolutePath,
  additionalDirectories: optional(v.array(absolutePath)),
  sessionId: optionalNullable(v.string()),
  _meta: meta,
});

const tokens = nullish(count);

/** @experimental */
export const Usage = struct({
  totalTokens: count,
  inputTokens: count,
  outputTokens: count,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: meta,
});
/** @experimental */
export type Usage = v.InferOutput<typeof Usage>;

const oneSession = struct({ sessionId: v.string(), _meta: meta });

/** @experimental */
export const ArchiveSessionRequest = oneSession;
/** @experimental */
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

/** @experimental */
export const UnarchiveSessionRequest = oneSession;
/** @experimental */
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

/** Treat an unknown status as `saved`. @experimental */
export const SessionStatus = openEnum<'open' | 'saved'>();
/** @experimental */
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

/** @experimental */
export const SessionStatusRequest = oneSession;
/** @experimental */
export type SessionStatusRequest = v.InferOutput<typeof SessionStatusRequest>;

/** @experimental */
export const SetSessionTitleRequest = struct({ sessionId: v.string(), title: v.string(), _meta: meta });
/** @experimental */
export type SetSessionTitleRequest = v.InferOutput<typeof SetSessionTitleRequest>;

/** The title that the agent stored. It may differ from the requested one. @experimental */
export const SetSessionTitleResponse = struct({ title: v.string(), _meta: meta });
/** @experimental */
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

/** @experimental */
export const AuthState = openEnum<'authenticated' | 'unauthenticated' | 'not_required' | 'unknown'>();
/** @experimental */
export type AuthState = v.InferOutput<typeof AuthState>;

/** @experimental */
export const AuthAccount = struct({
  label: v.string(),
  active: nullish(v.boolean()),
  name: nullableString,
  email: nullableString,
  organization: nullableString,
  _meta: meta,
});
/** @experimental */
export type AuthAccount = v.InferOutput<typeof AuthAccount>;

/** @experimental */
export const AuthStatusRequest = struct({ _meta: meta });
/** @experimental */
export type AuthStatusRequest = v.InferOutput<typeof AuthStatusRequest>;

/** @experimental */
export const AuthStatusResponse = struct({
  state: AuthState,
  accounts: lenient(lenientArray(AuthAccount)),
  _meta: meta,
});
/** @experimental */
export type AuthStatusResponse = v.InferOutput<typeof AuthStatusResponse>;

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatus = agentRequest({
  method: 'auth/status',
  params: AuthStatusRequest,
  result: AuthStatusResponse,
  requires: 'auth.status',
});

/** @experimental */
export const AuthStatusUpdateNotification = AuthStatusResponse;
/** @experimental */
export type AuthStatusUpdateNotification = v.InferOutput<typeof AuthStatusUpdateNotification>;

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatusUpdate = clientNotification({
  method: 'auth/status_update',
  params: AuthStatusUpdateNotification,
});

/** @experimental */
export const MessageMcpRequest = struct({
  serverId: v.string(),
  requestId: v.string(),
  method: v.string(),
  params: optionalNullable(jsonObject),
  _meta: meta,
});
/** @experimental */
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

/** @experimental */
export const MessageMcpNotification = MessageMcpRequest;
/** @experimental */
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
