import * as v from 'valibot';
import { agentNotification, agentRequest, clientNotification, clientRequest } from '../method.ts';
import { sessionFeatures } from '../param-features.ts';
import {
  json,
  jsonObject,
  lenient,
  lenientArray,
  meta,
  openEnum,
  optionalNullable,
  patch,
  rewritten,
  struct,
  text,
} from '../vocabulary.ts';
import { respellSession } from './earlier-draft.ts';
import { StateUpdate } from './prompt-lifecycle.ts';
import { NewSessionRequest, NewSessionResponse } from './session-setup.ts';

/**
 * Methods and updates that are not stable. They may change with any release.
 *
 * @experimental
 */

const proposals = 'https://agentclientprotocol.com/rfds';
const page = 'https://agentclientprotocol.com/protocol/v2/draft';

const oneSession = struct({ sessionId: v.string(), _meta: meta });

export const ForkSessionRequest = struct({ ...NewSessionRequest.entries, sessionId: v.string() });
export type ForkSessionRequest = v.InferOutput<typeof ForkSessionRequest>;

export const ForkSessionResponse = NewSessionResponse;
export type ForkSessionResponse = v.InferOutput<typeof ForkSessionResponse>;

export const forkSession = agentRequest({
  method: 'session/fork',
  params: ForkSessionRequest,
  result: rewritten(ForkSessionResponse, respellSession),
  requires: 'session.fork',
  uses: sessionFeatures,
  spec: `${proposals}/session-fork`,
});

export const ArchiveSessionRequest = oneSession;
export type ArchiveSessionRequest = v.InferOutput<typeof ArchiveSessionRequest>;

export const archiveSession = agentRequest({
  method: 'session/archive',
  params: ArchiveSessionRequest,
  result: json,
  requires: 'session.archive',
  spec: `${page}/session-list`,
});

export const UnarchiveSessionRequest = oneSession;
export type UnarchiveSessionRequest = v.InferOutput<typeof UnarchiveSessionRequest>;

export const unarchiveSession = agentRequest({
  method: 'session/unarchive',
  params: UnarchiveSessionRequest,
  result: json,
  requires: 'session.archive',
  spec: `${page}/session-list`,
});

/** Take one that you do not know for `saved`. */
export const SessionStatus = openEnum('open', 'saved');
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

export const SessionStatusRequest = oneSession;
export type SessionStatusRequest = v.InferOutput<typeof SessionStatusRequest>;

export const SessionStatusResponse = struct({
  status: SessionStatus,
  state: patch(StateUpdate),
  _meta: meta,
});
export type SessionStatusResponse = v.InferOutput<typeof SessionStatusResponse>;

export const sessionStatus = agentRequest({
  method: 'session/status',
  params: SessionStatusRequest,
  result: SessionStatusResponse,
  requires: 'session.status',
  spec: `${page}/session-setup`,
});

export const SetSessionTitleRequest = struct({ sessionId: v.string(), title: v.string(), _meta: meta });
export type SetSessionTitleRequest = v.InferOutput<typeof SetSessionTitleRequest>;

/** Show the title that came back: the agent may have changed it. */
export const SetSessionTitleResponse = struct({ title: v.string(), _meta: meta });
export type SetSessionTitleResponse = v.InferOutput<typeof SetSessionTitleResponse>;

export const setSessionTitle = agentRequest({
  method: 'session/set_title',
  params: SetSessionTitleRequest,
  result: SetSessionTitleResponse,
  requires: 'session.title',
  spec: `${page}/session-list`,
});

export const AuthState = openEnum('authenticated', 'unauthenticated', 'not_required', 'unknown');
export type AuthState = v.InferOutput<typeof AuthState>;

export const AuthAccount = struct({
  label: v.string(),
  active: patch(v.boolean()),
  name: text,
  email: text,
  organization: text,
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

export const authStatus = agentRequest({
  method: 'auth/status',
  params: AuthStatusRequest,
  result: AuthStatusResponse,
  requires: 'auth.status',
  spec: `${proposals}/get-auth-state`,
});

export const AuthStatusUpdateNotification = AuthStatusResponse;
export type AuthStatusUpdateNotification = v.InferOutput<typeof AuthStatusUpdateNotification>;

export const authStatusUpdate = clientNotification({
  method: 'auth/status_update',
  params: AuthStatusUpdateNotification,
  spec: `${proposals}/get-auth-state`,
});

export const MessageMcpRequest = struct({
  serverId: v.string(),
  requestId: v.string(),
  method: v.string(),
  params: optionalNullable(jsonObject),
  _meta: meta,
});
export type MessageMcpRequest = v.InferOutput<typeof MessageMcpRequest>;

/** A message to a server that the client serves. */
export const messageMcpServer = clientRequest({
  method: 'mcp/message',
  params: MessageMcpRequest,
  // Holds `result` or `error`, as the server answered.
  result: jsonObject,
  spec: `${proposals}/mcp-over-acp`,
});

export const MessageMcpNotification = MessageMcpRequest;
export type MessageMcpNotification = v.InferOutput<typeof MessageMcpNotification>;

/** A message from a server that the client serves. */
export const messageMcpClient = agentNotification({
  method: 'mcp/message',
  params: MessageMcpNotification,
  requires: 'session.mcp.acp',
  spec: `${proposals}/mcp-over-acp`,
});
