import {
  type AgentMethod,
  agentNotification,
  agentRequest,
  type ClientMethod,
  clientNotification,
  clientRequest,
} from '../method.ts';
import { listFeatures } from '../param-features.ts';
import * as unstable from '../unstable.ts';
import * as v from '../vocabulary.ts';
import { PlanRemoved, PlanUpdate } from './agent-plan.ts';
import * as cancellation from './cancellation.ts';
import * as elicitation from './elicitation.ts';
import * as list from './session-list.ts';
import * as setup from './session-setup.ts';
import * as updates from './session-updates.ts';

/** The methods that are the same in both versions, by the page of the specification that describes them. */

/**
 * Both sides may send this notification. This describes the one from the agent.
 *
 * @see https://agentclientprotocol.com/protocol/v1/cancellation#%24%2Fcancel_request-notification
 * @see https://agentclientprotocol.com/protocol/v2/cancellation#%24%2Fcancel_request-notification
 */
export const cancelRequest = clientNotification({
  method: '$/cancel_request',
  params: cancellation.CancelRequestNotification,
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/elicitation#url-completion
 * @see https://agentclientprotocol.com/protocol/v2/elicitation#url-completion
 */
export const completeElicitation = clientNotification({
  method: 'elicitation/complete',
  params: elicitation.CompleteElicitationNotification,
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/session-delete#deleting-a-session
 * @see https://agentclientprotocol.com/protocol/v2/session-delete#deleting-a-session
 */
export const deleteSession = agentRequest({
  method: 'session/delete',
  params: list.DeleteSessionRequest,
  result: v.json,
  requires: 'session.delete',
  session: 'ends',
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions
 * @see https://agentclientprotocol.com/protocol/v2/session-list#listing-sessions
 */
export const listSessions = agentRequest({
  method: 'session/list',
  params: list.ListSessionsRequest,
  result: list.ListSessionsResponse,
  requires: 'session.list',
  uses: listFeatures,
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#closing-active-sessions
 */
export const closeSession = agentRequest({
  method: 'session/close',
  params: setup.CloseSessionRequest,
  result: v.json,
  requires: 'session.close',
  session: 'ends',
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation
 * @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#cancellation
 */
export const cancel = agentNotification({
  method: 'session/cancel',
  params: v.struct({ sessionId: v.string(), _meta: v.meta }),
  requires: 'session',
  onSubagent: 'cancel',
});

/**
 * The `normalize` function of the dialect reads the update, and avoids copies.
 *
 * @see https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output
 * @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#3-agent-reports-output
 */
export const sessionUpdate = clientNotification({
  method: 'session/update',
  params: v.struct({ sessionId: v.string(), update: v.jsonObject, _meta: v.meta }),
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const archiveSession = agentRequest({
  method: 'session/archive',
  params: unstable.ArchiveSessionRequest,
  result: v.json,
  requires: 'session.archive',
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const unarchiveSession = agentRequest({
  method: 'session/unarchive',
  params: unstable.UnarchiveSessionRequest,
  result: v.json,
  requires: 'session.archive',
});

/**
 * @see https://agentclientprotocol.com/protocol/v1/draft/session-list
 * @see https://agentclientprotocol.com/protocol/v2/draft/session-list
 */
export const setSessionTitle = agentRequest({
  method: 'session/set_title',
  params: unstable.SetSessionTitleRequest,
  result: unstable.SetSessionTitleResponse,
  requires: 'session.title',
});

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatus = agentRequest({
  method: 'auth/status',
  params: unstable.AuthStatusRequest,
  result: unstable.AuthStatusResponse,
  requires: 'auth.status',
});

/** @see https://agentclientprotocol.com/rfds/get-auth-state */
export const authStatusUpdate = clientNotification({
  method: 'auth/status_update',
  params: unstable.AuthStatusUpdateNotification,
});

/**
 * A message to an MCP server that the client provides.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export const messageMcpServer = clientRequest({
  method: 'mcp/message',
  params: unstable.MessageMcpRequest,
  // The `result` or the `error` of the server.
  result: v.jsonObject,
});

/**
 * A message from an MCP server that the client provides.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export const messageMcpClient = agentNotification({
  method: 'mcp/message',
  params: unstable.MessageMcpNotification,
  requires: 'session.mcp.acp',
});

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const listProviders = agentRequest({
  method: 'providers/list',
  params: unstable.ListProvidersRequest,
  result: unstable.ListProvidersResponse,
  requires: 'providers',
});

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const setProvider = agentRequest({
  method: 'providers/set',
  params: unstable.SetProviderRequest,
  result: v.json,
  requires: 'providers',
});

/** @see https://agentclientprotocol.com/rfds/custom-llm-endpoint */
export const disableProvider = agentRequest({
  method: 'providers/disable',
  params: unstable.DisableProviderRequest,
  result: v.json,
  requires: 'providers',
});

/** The methods that the client calls, without those of the calls that both versions have. */
export const agentMethods: readonly AgentMethod[] = [
  archiveSession,
  unarchiveSession,
  setSessionTitle,
  authStatus,
  messageMcpClient,
  listProviders,
  setProvider,
  disableProvider,
];

export const clientMethods: readonly ClientMethod[] = [
  sessionUpdate,
  completeElicitation,
  cancelRequest,
  authStatusUpdate,
  messageMcpServer,
];

/** The schemas of the updates that are the same in the official schemas of both versions, by their `sessionUpdate`. */
export const sharedUpdates = {
  plan_update: PlanUpdate,
  plan_removed: PlanRemoved,
  session_info_update: list.SessionInfoUpdate,
  usage_update: updates.UsageUpdate,
  notice: updates.Notice,
  compaction_update: updates.CompactionUpdate,
  compaction_summary_chunk: updates.CompactionSummaryChunk,
  session_message: updates.SessionMessage,
  session_message_chunk: updates.SessionMessageChunk,
  subagent_update: updates.SubagentUpdate,
};
