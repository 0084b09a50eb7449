/**
 * The schemas and wire types of version 1, with the names of the official schema.
 *
 * @see https://agentclientprotocol.com/protocol/v1/schema
 * @packageDocumentation
 */

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
  Plan,
  PlanEntry,
  PlanEntryPriority,
  PlanEntryStatus,
  PlanItems,
  PlanMarkdown,
  PlanRemoved,
  PlanUpdate,
  PlanUpdateContent,
} from '../core/protocol/v1/agent-plan.ts';
export {
  AuthenticateRequest,
  AuthMethod,
  AuthMethodAgent,
  AuthMethodTerminal,
  LogoutRequest,
} from '../core/protocol/v1/authentication.ts';
export { CancelRequestNotification, RequestId } from '../core/protocol/v1/cancellation.ts';
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
} from '../core/protocol/v1/content.ts';
export {
  BooleanPropertySchema,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationAcceptAction,
  ElicitationContentValue,
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
  ElicitationCapabilities,
  FileSystemCapabilities,
  Implementation,
  InitializeRequest,
  InitializeResponse,
  McpCapabilities,
  PromptCapabilities,
  ProtocolVersion,
  SessionCapabilities,
  SessionConfigOptionsCapabilities,
  SessionSystemPromptCapabilities,
  SessionSystemPromptModeCapabilities,
} from '../core/protocol/v1/initialization.ts';
export {
  CancelNotification,
  CompactionStatus,
  CompactionSummaryChunk,
  CompactionUpdate,
  ContentChunk,
  Cost,
  Notice,
  NoticeSeverity,
  PromptRequest,
  PromptResponse,
  StopReason,
  UsageUpdate,
} from '../core/protocol/v1/prompt-turn.ts';
export {
  ConfigOptionUpdate,
  SessionConfigBoolean,
  SessionConfigOption,
  SessionConfigOptionCategory,
  SessionConfigSelect,
  SessionConfigSelectGroup,
  SessionConfigSelectOption,
  SessionConfigSelectOptions,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
} from '../core/protocol/v1/session-config-options.ts';
export { DeleteSessionRequest } from '../core/protocol/v1/session-delete.ts';
export {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
  SessionInfoUpdate,
} from '../core/protocol/v1/session-list.ts';
export {
  CurrentModeUpdate,
  SessionMode,
  SessionModeState,
  SetSessionModeRequest,
} from '../core/protocol/v1/session-modes.ts';
export {
  CloseSessionRequest,
  EnvVariable,
  HttpHeader,
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
  SystemPromptMode,
} from '../core/protocol/v1/session-setup.ts';
export {
  AvailableCommand,
  AvailableCommandInput,
  AvailableCommandsUpdate,
  UnstructuredCommandInput,
} from '../core/protocol/v1/slash-commands.ts';
export {
  ErrorStopReason,
  IdleStateUpdate,
  SessionMessage,
  SessionMessageChunk,
  StateUpdate,
  SubagentSessionCapabilities,
  SubagentUpdate,
} from '../core/protocol/v1/subagents.ts';
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
  Content,
  Diff,
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SelectedPermissionOutcome,
  Terminal,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '../core/protocol/v1/tool-calls.ts';
export {
  ForkSessionRequest,
  ForkSessionResponse,
  SessionStatusResponse,
} from '../core/protocol/v1/unstable.ts';
export { SessionNotification, SessionUpdate } from '../core/protocol/v1/update.ts';
export type { Unrecognized } from '../core/protocol/vocabulary.ts';
