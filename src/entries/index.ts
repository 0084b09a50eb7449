export { asksForPermission } from '../agents/asks-for-permission.ts';
export { connect } from '../agents/connect.ts';
export { loginAdvice } from '../agents/login-advice.ts';
export { remoteTransport, streamableHttpTransport } from '../agents/remote.ts';
export type { Diagnostic, DiagnosticListener, DiagnosticRule } from '../core/base/diagnostic.ts';
export {
  AcpError,
  type AcpErrorCode,
  type AcpErrorOptions,
  type AgentExit,
  AgentProcessError,
  AuthRequiredError,
  CancelledError,
  CapabilityError,
  ConnectionClosedError,
  ConnectionStateError,
  ExitError,
  HttpError,
  InvalidMessageError,
  InvalidParamsError,
  MessageTooLargeError,
  MethodNotFoundError,
  type MissingFeature,
  NotFoundError,
  ProtocolError,
  RemoteError,
  type RemoteErrorOptions,
  type SocketClose,
  SpawnError,
  TimeoutError,
  UnsupportedVersionError,
  UsageError,
  type ValidationIssue,
} from '../core/base/errors.ts';
export type { RequestId } from '../core/base/request-id.ts';
export type { TerminalChange } from '../core/base/terminal-change.ts';
export type { AgentSource } from '../core/client/agent-source.ts';
export type { CallOptions, NamedCallOptions } from '../core/client/calls/call-options.ts';
export type { CallEnd, CallMeta, OutgoingCall } from '../core/client/calls/outgoing-calls.ts';
export type { ConnectOptions } from '../core/client/connect.ts';
export type * from '../core/client/connection.ts';
export type { SessionListing } from '../core/client/listing.ts';
export { supportedMcpServers, type UnsupportedMcpServer } from '../core/client/mcp-servers.ts';
export type { ReconnectOptions } from '../core/client/reconnect.ts';
export {
  choosePermissionOption,
  type PermissionKind,
} from '../core/client/requests/choose-permission-option.ts';
export type {
  ClientHandlers,
  ElicitationAnswer,
  ElicitationContext,
  ElicitationRequest,
  ExtensionContext,
  FormElicitation,
  HandlerContext,
  PermissionOutcome,
  PermissionRequest,
  TerminalHandlers,
  TerminalOutput,
  UrlElicitation,
} from '../core/client/requests/handlers.ts';
export type * from '../core/client/requests/permission-rules.ts';
export { permissionRules } from '../core/client/requests/permission-rules.ts';
export { type FailedLoad, isFailedLoad } from '../core/client/session/failed-load.ts';
export type { SessionEnd } from '../core/client/session/machine/session-end.ts';
export type {
  HistoryPolicy,
  LoadProgress,
  LoadSessionOptions,
  NewSessionOptions,
  OpenSessionOptions,
  ResumeSessionOptions,
} from '../core/client/session/opener.ts';
export type { AsksForPermission, PermissionModeOptions } from '../core/client/session/permission-mode.ts';
export type { Session, SessionEventOptions, UpdateContext } from '../core/client/session/session.ts';
export type { SteerOptions, SteerResult } from '../core/client/session/steering.ts';
export type { Subagent } from '../core/client/session/subagent.ts';
export type {
  PromptAcceptance,
  PromptOptions,
  PromptResult,
  PromptTurn,
  QueuedPrompt,
} from '../core/client/session/turn.ts';
export type { SessionSetting, SessionSettingChoice } from '../core/conversation/settings.ts';
export type { ContentBlockInput } from '../core/model/content.ts';
export type * from '../core/model/event.ts';
export type {
  McpMessage,
  McpMessageAnswer,
  McpServer,
  ProvidedMcpServer,
  SessionMcpServer,
} from '../core/model/mcp-server.ts';
export type { SystemPrompt } from '../core/model/opening.ts';
export type { Implementation, SessionInfo } from '../core/model/session.ts';
export type {
  AuthStatus,
  ConfigValue,
  ForkSessionParams,
  InitialConfigOption,
  ListSessionsParams,
  NewSessionParams,
  OpenSessionParams,
  SessionOptions,
  SessionOptionsParams,
  SessionPage,
} from '../core/protocol/calls.ts';
export type { AuthMethod, AuthVariable, DialectName } from '../core/protocol/dialect.ts';
export {
  type CustomFeature,
  type Feature,
  type FeatureReading,
  featureNames,
  unstableFeatures,
} from '../core/protocol/feature.ts';
export type { LoginAdvice, LoginFacts } from '../core/protocol/login-advice.ts';
export type { ClientCapabilityOptions, ProtocolVersion } from '../core/protocol/negotiate.ts';
export type { PermissionSubject } from '../core/protocol/normalize.ts';
export type { PathMap } from '../core/protocol/path-map.ts';
export { protocolSchema } from '../core/protocol/published-schema.ts';
export type { AgentNotifications, AgentRequest, AgentRequests } from '../core/protocol/requests.ts';
export { pathMap, type SharedDirectory } from '../core/protocol/shared-directories.ts';
export { RequestError } from '../core/rpc/request-error.ts';
export { type RedactOptions, redact } from '../core/trace/redact.ts';
export type { Trace } from '../core/trace/trace.ts';
export type { TrafficRecord } from '../core/trace/traffic.ts';
export type {
  NodeByteSink,
  NodeByteSource,
  WebByteSink,
  WebByteSource,
} from '../core/transport/byte-streams.ts';
export { memoryCookies } from '../core/transport/http/cookies.ts';
export { type NdjsonTransportOptions, ndjsonTransport } from '../core/transport/ndjson.ts';
export type {
  CookieStore,
  HeaderRecord,
  RemoteTransportOptions,
  WebSocketConstructor,
} from '../core/transport/remote-options.ts';
export type { SessionLoss, Transport, TransportEnd, TransportListener } from '../core/transport/transport.ts';
export {
  type WebSocketLike,
  type WebSocketTransportOptions,
  webSocketTransport,
} from '../core/transport/websocket.ts';
export type * from './conversation-model.ts';
