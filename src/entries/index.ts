/**
 * Connects to agents: connections, sessions, turns, permissions, errors and transports.
 *
 * Level: stable.
 *
 * @packageDocumentation
 */

export { connect } from '../agents/connect.ts';
export { asksForPermission, loginAdvice } from '../agents/find.ts';
export { remoteTransport } from '../agents/remote.ts';
export type { Diagnostic, DiagnosticRule } from '../core/base/diagnostic.ts';
export {
  AcpError,
  type AcpErrorCode,
  type AgentExit,
  AgentProcessError,
  AuthRequiredError,
  CancelledError,
  CapabilityError,
  ConnectionClosedError,
  ConnectionStateError,
  ExitError,
  HttpError,
  InvalidParamsError,
  MethodNotFoundError,
  NotFoundError,
  RemoteError,
  SpawnError,
  TimeoutError,
  UnsupportedVersionError,
  UsageError,
} from '../core/base/errors.ts';
export type { AgentSource } from '../core/client/agent-source.ts';
export type { CallOptions } from '../core/client/calls/call-options.ts';
export type { CallMeta, OutgoingCall } from '../core/client/calls/outgoing-calls.ts';
export type { ConnectOptions } from '../core/client/connect.ts';
export type {
  ClientConnection,
  ConnectionState,
  Reconnection,
  RequestResult,
} from '../core/client/connection.ts';
export type { SessionListing } from '../core/client/listing.ts';
export { supportedMcpServers } from '../core/client/mcp-servers.ts';
export type { ReconnectOptions } from '../core/client/reconnect.ts';
export { choosePermissionOption } from '../core/client/requests/choose-permission-option.ts';
export type {
  ClientHandlers,
  ElicitationAnswer,
  ElicitationContext,
  ElicitationRequest,
  HandlerContext,
  PermissionOutcome,
  PermissionRequest,
  TerminalHandlers,
} from '../core/client/requests/handlers.ts';
export {
  type PermissionRule,
  type PermissionRulesOptions,
  permissionRules,
} from '../core/client/requests/permission-rules.ts';
export { isFailedLoad } from '../core/client/session/failed-load.ts';
export type { SessionEnd } from '../core/client/session/machine/session-end.ts';
export type {
  LoadSessionOptions,
  NewSessionOptions,
  OpenSessionOptions,
} from '../core/client/session/opener.ts';
export type { AsksForPermission } from '../core/client/session/permission-mode.ts';
export type { Session } from '../core/client/session/session.ts';
export type { SteerResult } from '../core/client/session/steering.ts';
export type { Subagent } from '../core/client/session/subagent.ts';
export type { PromptOptions, PromptResult, PromptTurn, QueuedPrompt } from '../core/client/session/turn.ts';
export type { SessionSetting } from '../core/conversation/settings.ts';
export type { ContentBlockInput } from '../core/model/content.ts';
export type { ConversationEvent } from '../core/model/event.ts';
export type { McpServerConfig, ProvidedMcpServer } from '../core/model/mcp-server.ts';
export type { Implementation, SessionInfo } from '../core/model/session.ts';
export type {
  NewSessionParams,
  OpenSessionParams,
  SessionOptions,
  SessionPage,
} from '../core/protocol/calls.ts';
export type { AuthMethod, DialectName } from '../core/protocol/dialect.ts';
export {
  type Feature,
  type FeatureReading,
  featureNames,
  unstableFeatures,
} from '../core/protocol/feature.ts';
export type { LoginAdvice } from '../core/protocol/login-advice.ts';
export type { PathMap } from '../core/protocol/path-map.ts';
export { protocolSchema } from '../core/protocol/published-schema.ts';
export type { AgentNotifications, AgentRequests } from '../core/protocol/requests.ts';
export { pathMap } from '../core/protocol/shared-directories.ts';
export { RequestError } from '../core/rpc/request-error.ts';
export { redact } from '../core/trace/redact.ts';
export type { Trace } from '../core/trace/trace.ts';
export type { TrafficRecord } from '../core/trace/traffic.ts';
export { memoryCookies } from '../core/transport/http/cookies.ts';
export { ndjsonTransport } from '../core/transport/ndjson.ts';
export type { CookieStore, RemoteTransportOptions } from '../core/transport/remote-options.ts';
export type { Transport, TransportEnd, TransportListener } from '../core/transport/transport.ts';
export type * from './conversation-model.ts';
