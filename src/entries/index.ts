export { asksForPermission } from '../agents/asks-for-permission.ts';
export { connect } from '../agents/connect.ts';
export { loginAdvice } from '../agents/login-advice.ts';
export { remoteTransport, streamableHttpTransport } from '../agents/remote.ts';
export type { Diagnostic, DiagnosticListener, DiagnosticRule } from '../base/diagnostic.ts';
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
} from '../base/errors.ts';
export type { RequestId } from '../base/request-id.ts';
export type { TerminalChange } from '../base/terminal-change.ts';
export type { AgentSource } from '../client/agent-source.ts';
export type { CallOptions, NamedCallOptions } from '../client/calls/call-options.ts';
export type { CallEnd, CallMeta, OutgoingCall } from '../client/calls/outgoing-calls.ts';
export type { ConnectOptions } from '../client/connect.ts';
export type * from '../client/connection.ts';
export type { SessionListing } from '../client/listing.ts';
export { supportedMcpServers, type UnsupportedMcpServer } from '../client/mcp-servers.ts';
export type { ReconnectOptions } from '../client/reconnect.ts';
export { choosePermissionOption, type PermissionKind } from '../client/requests/choose-permission-option.ts';
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
} from '../client/requests/handlers.ts';
export type * from '../client/requests/permission-rules.ts';
export { permissionRules } from '../client/requests/permission-rules.ts';
export { type FailedLoad, isFailedLoad } from '../client/session/failed-load.ts';
export type { SessionEnd } from '../client/session/machine/session-end.ts';
export type {
  HistoryPolicy,
  LoadProgress,
  LoadSessionOptions,
  NewSessionOptions,
  OpenSessionOptions,
  ResumeSessionOptions,
} from '../client/session/opener.ts';
export type { AsksForPermission, PermissionModeOptions } from '../client/session/permission-mode.ts';
export type { Session, SessionEventOptions, UpdateContext } from '../client/session/session.ts';
export type { SteerOptions, SteerResult } from '../client/session/steering.ts';
export type { Subagent } from '../client/session/subagent.ts';
export type {
  PromptAcceptance,
  PromptOptions,
  PromptResult,
  PromptTurn,
  QueuedPrompt,
} from '../client/session/turn.ts';
export type { SessionSetting, SessionSettingChoice } from '../conversation/settings.ts';
export type { ContentBlockInput } from '../model/content.ts';
export type * from '../model/event.ts';
export type {
  McpMessage,
  McpMessageAnswer,
  McpServer,
  ProvidedMcpServer,
  SessionMcpServer,
} from '../model/mcp-server.ts';
export type { SystemPrompt } from '../model/opening.ts';
export type { Implementation, SessionInfo } from '../model/session.ts';
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
} from '../protocol/calls.ts';
export type { AuthMethod, AuthVariable, DialectName } from '../protocol/dialect.ts';
export {
  type CustomFeature,
  type Feature,
  type FeatureReading,
  featureNames,
  unstableFeatures,
} from '../protocol/feature.ts';
export type { LoginAdvice, LoginFacts } from '../protocol/login-advice.ts';
export type { ClientCapabilityOptions, ProtocolVersion } from '../protocol/negotiate.ts';
export type { PermissionSubject } from '../protocol/normalize.ts';
export type { PathMap } from '../protocol/path-map.ts';
export { protocolSchema } from '../protocol/published-schema.ts';
export type { AgentNotifications, AgentRequest, AgentRequests } from '../protocol/requests.ts';
export { pathMap, type SharedDirectory } from '../protocol/shared-directories.ts';
export { RequestError } from '../rpc/request-error.ts';
export { type RedactOptions, redact } from '../trace/redact.ts';
export type { Trace } from '../trace/trace.ts';
export type { TrafficRecord } from '../trace/traffic.ts';
export type { NodeByteSink, NodeByteSource, WebByteSink, WebByteSource } from '../transport/byte-streams.ts';
export { memoryCookies } from '../transport/http/cookies.ts';
export { type NdjsonTransportOptions, ndjsonTransport } from '../transport/ndjson.ts';
export type {
  CookieStore,
  HeaderRecord,
  RemoteTransportOptions,
  WebSocketConstructor,
} from '../transport/remote-options.ts';
export type { SessionLoss, Transport, TransportEnd, TransportListener } from '../transport/transport.ts';
export {
  type WebSocketLike,
  type WebSocketTransportOptions,
  webSocketTransport,
} from '../transport/websocket.ts';
export type * from './conversation-model.ts';
