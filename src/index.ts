export type { CallOptions } from './client/calls.ts';
export { chooseOption, type PermissionKind } from './client/choose-option.ts';
export { type ConnectOptions, connect } from './client/connect.ts';
export { type AuthRequiredHandler, ClientConnection, type ConnectionState } from './client/connection.ts';
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
  TerminalExit,
  TerminalHandlers,
  UrlElicitation,
} from './client/handlers.ts';
export type { SessionListing } from './client/listing.ts';
export type { ReconnectOptions } from './client/reconnect.ts';
export { type PromptOptions, Session } from './client/session.ts';
export type { HistoryPolicy } from './client/sessions.ts';
export type { PromptAcceptance, PromptResult, PromptTurn } from './client/turn.ts';
export type { ConversationStore } from './conversation/store.ts';
export type { Diagnostic, DiagnosticListener, DiagnosticRule } from './diagnostic.ts';
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
  InvalidMessageError,
  InvalidParamsError,
  type Issue,
  MessageTooLargeError,
  type MissingFeature,
  NotFoundError,
  ProtocolError,
  RemoteError,
  type SocketClose,
  SpawnError,
  TimeoutError,
  UnsupportedVersionError,
  UsageError,
} from './errors.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type {
  Annotations,
  AudioContent,
  BlobResource,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  TextResource,
  UnknownContent,
} from './model/content.ts';
export type {
  Activity,
  CompactionEntry,
  Conversation,
  Entry,
  MessageEntry,
  Origin,
  Terminal,
  ToolCallEntry,
  UnknownEntry,
  Usage,
} from './model/conversation.ts';
export type { Plan, PlanEntry } from './model/plan.ts';
export type {
  BooleanConfigOption,
  Command,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  Cost,
  Implementation,
  Mode,
  Modes,
  Notice,
  SelectConfigOption,
  SessionInfo,
  UnknownConfigOption,
} from './model/session.ts';
export type {
  CancelCapability,
  Diff,
  FileChange,
  FileLocation,
  TerminalReference,
  ToolCallBlock,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
  UnknownToolCallContent,
} from './model/tool-call.ts';
export type {
  BackgroundWork,
  PendingPermission,
  PermissionOption,
  TerminalExitStatus,
} from './model/update.ts';
export type {
  AuthStatus,
  ConfigValue,
  ListSessionsParams,
  McpServer,
  NewSessionParams,
  OpenSessionParams,
  SessionPage,
  SystemPrompt,
} from './protocol/calls.ts';
export type { AuthMethod, DialectName, PermissionSubject } from './protocol/dialect.ts';
export {
  type CustomFeature,
  type Feature,
  type FeatureReading,
  featureNames,
  unstableFeatures,
} from './protocol/feature.ts';
export type { ProtocolVersion } from './protocol/negotiate.ts';
export { RequestError } from './rpc/request-error.ts';
export { type RedactOptions, redact } from './trace/redact.ts';
export type { Trace } from './trace/trace.ts';
export type { TrafficRecord } from './trace/traffic.ts';
export {
  type ByteSink,
  type ByteSource,
  defaultMaxLineBytes,
  NdjsonReader,
  type NdjsonReaderOptions,
  NdjsonWriter,
} from './transport/ndjson.ts';
export type { Transport, TransportEnd } from './transport/transport.ts';
export { type WebSocketTransportOptions, webSocketTransport } from './transport/websocket.ts';
export type { WebSocketLike } from './transport/websocket-like.ts';
