/**
 * The schemas and wire types of version 1, with the names of the official schema.
 *
 * Level: stable.
 *
 * @see https://agentclientprotocol.com/protocol/v1/schema
 * @packageDocumentation
 */

export {
  Plan,
  PlanEntry,
  PlanEntryPriority,
  PlanEntryStatus,
  PlanItems,
  PlanMarkdown,
  PlanRemoved,
  PlanUpdate,
  PlanUpdateContent,
} from '../core/protocol/both/agent-plan.ts';
export { CancelRequestNotification, RequestId } from '../core/protocol/both/cancellation.ts';
export {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  EmbeddedResourceResource,
  ImageContent,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../core/protocol/both/content.ts';
export {
  BooleanPropertySchema,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  ElicitationPropertySchema,
  ElicitationRequestScope,
  ElicitationSchema,
  ElicitationSessionScope,
  EnumOption,
  IntegerPropertySchema,
  MultiSelectItems,
  MultiSelectPropertySchema,
  NumberPropertySchema,
  StringFormat,
  StringMultiSelectItems,
  StringPropertySchema,
  TitledMultiSelectItems,
} from '../core/protocol/both/elicitation.ts';
export { ErrorObject as Error } from '../core/protocol/both/error.ts';
export {
  ElicitationCapabilities,
  Implementation,
  ProtocolVersion,
  SessionSystemPromptCapabilities,
  SessionSystemPromptModeCapabilities,
} from '../core/protocol/both/initialization.ts';
export {
  SessionConfigBoolean,
  SessionConfigOptionCategory,
  SessionConfigSelectOption,
} from '../core/protocol/both/session-config-options.ts';
export { DeleteSessionRequest } from '../core/protocol/both/session-delete.ts';
export {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
  SessionInfoUpdate,
} from '../core/protocol/both/session-list.ts';
export {
  CloseSessionRequest,
  EnvVariable,
  HttpHeader,
  SystemPromptMode,
} from '../core/protocol/both/session-setup.ts';
export {
  CompactionStatus,
  CompactionSummaryChunk,
  CompactionUpdate,
  Cost,
  Notice,
  NoticeSeverity,
  SessionMessage,
  SessionMessageChunk,
  UsageUpdate,
} from '../core/protocol/both/session-updates.ts';
export {
  ErrorStopReason,
  IdleStateUpdate,
  RequiresActionStateUpdate,
  RunningStateUpdate,
  StateUpdate,
  StopReason,
  UnknownStateUpdate,
} from '../core/protocol/both/state.ts';
export { SubagentSessionCapabilities, SubagentUpdate } from '../core/protocol/both/subagents.ts';
export {
  Content,
  PermissionOption,
  PermissionOptionKind,
  SelectedPermissionOutcome,
  Terminal,
  ToolCallStatus,
  ToolKind,
} from '../core/protocol/both/tool-calls.ts';
export {
  ArchiveSessionRequest,
  AuthAccount,
  AuthState,
  AuthStatusRequest,
  AuthStatusResponse,
  AuthStatusUpdateNotification,
  McpServerAcp,
  MessageMcpNotification,
  MessageMcpRequest,
  SessionArchiveFilter,
  SessionStatus,
  SessionStatusRequest,
  SetSessionTitleRequest,
  SetSessionTitleResponse,
  UnarchiveSessionRequest,
  Usage,
} from '../core/protocol/unstable.ts';
export {
  DisableProviderRequest,
  ListProvidersRequest,
  ListProvidersResponse,
  LlmProtocol,
  ProviderCurrentConfig,
  ProviderInfo,
  SetProviderRequest,
} from '../core/protocol/unstable-providers.ts';
export {
  AuthenticateRequest,
  AuthMethod,
  AuthMethodAgent,
  AuthMethodTerminal,
  LogoutRequest,
} from '../core/protocol/v1/authentication.ts';
export {
  CreateElicitationResponse,
  ElicitationAcceptAction,
  ElicitationContentValue,
} from '../core/protocol/v1/elicitation.ts';
export {
  ReadTextFileRequest,
  ReadTextFileResponse,
  WriteTextFileRequest,
} from '../core/protocol/v1/file-system.ts';
export {
  AgentAuthCapabilities,
  AgentCapabilities,
  AuthCapabilities,
  ClientCapabilities,
  ClientSessionCapabilities,
  FileSystemCapabilities,
  InitializeRequest,
  InitializeResponse,
  McpCapabilities,
  PromptCapabilities,
  SessionCapabilities,
  SessionConfigOptionsCapabilities,
} from '../core/protocol/v1/initialization.ts';
export {
  CancelNotification,
  ContentChunk,
  PromptRequest,
  PromptResponse,
} from '../core/protocol/v1/prompt-turn.ts';
export {
  ConfigOptionUpdate,
  SessionConfigOption,
  SessionConfigSelect,
  SessionConfigSelectGroup,
  SessionConfigSelectOptions,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
} from '../core/protocol/v1/session-config-options.ts';
export {
  CurrentModeUpdate,
  SessionMode,
  SessionModeState,
  SetSessionModeRequest,
} from '../core/protocol/v1/session-modes.ts';
export {
  LoadSessionRequest,
  LoadSessionResponse,
  McpServer,
  McpServerHttp,
  McpServerSse,
  McpServerStdio,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  ResumeSessionResponse,
  SystemPrompt,
} from '../core/protocol/v1/session-setup.ts';
export {
  AvailableCommand,
  AvailableCommandInput,
  AvailableCommandsUpdate,
  UnstructuredCommandInput,
} from '../core/protocol/v1/slash-commands.ts';
export {
  CreateTerminalRequest,
  CreateTerminalResponse,
  KillTerminalRequest,
  ReleaseTerminalRequest,
  TerminalExitStatus,
  TerminalOutputRequest,
  TerminalOutputResponse,
  WaitForTerminalExitRequest,
  WaitForTerminalExitResponse,
} from '../core/protocol/v1/terminals.ts';
export {
  Diff,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
} from '../core/protocol/v1/tool-calls.ts';
export {
  ForkSessionRequest,
  ForkSessionResponse,
  SessionStatusResponse,
} from '../core/protocol/v1/unstable.ts';
export { SessionNotification, SessionUpdate } from '../core/protocol/v1/update.ts';
export type { Unrecognized } from '../core/protocol/vocabulary.ts';
