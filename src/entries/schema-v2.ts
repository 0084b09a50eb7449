/**
 * The schemas and wire types of version 2, with the names of the official schema. They follow the draft, and can change
 * in a minor version.
 *
 * @see https://agentclientprotocol.com/protocol/v2/schema
 * @experimental
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
  SystemPromptMode,
  UnarchiveSessionRequest,
  Usage,
} from '../protocol/unstable.ts';
export {
  DisableProviderRequest,
  ListProvidersRequest,
  ListProvidersResponse,
  LlmProtocol,
  ProviderCurrentConfig,
  ProviderInfo,
  SetProviderRequest,
} from '../protocol/unstable-providers.ts';
export {
  PlanEntry,
  PlanEntryPriority,
  PlanEntryStatus,
  PlanFile,
  PlanItems,
  PlanMarkdown,
  PlanRemoved,
  PlanUpdate,
  PlanUpdateContent,
} from '../protocol/v2/agent-plan.ts';
export {
  AuthMethod,
  AuthMethodAgent,
  AuthMethodTerminal,
  EnvVariable,
  LoginAuthRequest,
  LogoutAuthRequest,
} from '../protocol/v2/authentication.ts';
export {
  CancelRequestNotification,
  RequestId,
} from '../protocol/v2/cancellation.ts';
export {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  EmbeddedResourceResource,
  Icon,
  IconTheme,
  ImageContent,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../protocol/v2/content.ts';
export {
  BooleanPropertySchema,
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationAcceptAction,
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
} from '../protocol/v2/elicitation.ts';
export { ErrorObject as Error } from '../protocol/v2/error.ts';
export {
  AgentAuthCapabilities,
  AgentCapabilities,
  ClientAuthCapabilities,
  ClientCapabilities,
  ElicitationCapabilities,
  Implementation,
  InitializeRequest,
  InitializeResponse,
  McpCapabilities,
  PromptCapabilities,
  ProtocolVersion,
  SessionCapabilities,
  SessionSystemPromptCapabilities,
  SessionSystemPromptModeCapabilities,
} from '../protocol/v2/initialization.ts';
export {
  AgentMessage,
  AgentThought,
  BackgroundSubagent,
  BackgroundTerminal,
  BackgroundToolCall,
  BackgroundWork,
  CancelSessionNotification,
  CompactionStatus,
  CompactionSummaryChunk,
  CompactionUpdate,
  ContentChunk,
  Cost,
  ErrorStopReason,
  IdleStateUpdate,
  Notice,
  NoticeSeverity,
  PromptRequest,
  PromptResponse,
  RequiresActionStateUpdate,
  RunningStateUpdate,
  SessionMessage,
  SessionMessageChunk,
  StateUpdate,
  UnknownStateUpdate,
  UsageUpdate,
  UserMessage,
} from '../protocol/v2/prompt-lifecycle.ts';
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
} from '../protocol/v2/session-config-options.ts';
export { DeleteSessionRequest } from '../protocol/v2/session-delete.ts';
export {
  ListSessionsRequest,
  ListSessionsResponse,
  SessionInfo,
  SessionInfoUpdate,
} from '../protocol/v2/session-list.ts';
export {
  CloseSessionRequest,
  HttpHeader,
  McpServer,
  McpServerHttp,
  McpServerStdio,
  NewSessionRequest,
  NewSessionResponse,
  ReplayFrom,
  ReplayFromStart,
  ResumeSessionRequest,
  ResumeSessionResponse,
  SystemPrompt,
} from '../protocol/v2/session-setup.ts';
export {
  AvailableCommand,
  AvailableCommandInput,
  AvailableCommandsUpdate,
  Command,
  TextCommandInput,
} from '../protocol/v2/slash-commands.ts';
export {
  SubagentSessionCapabilities,
  SubagentUpdate,
} from '../protocol/v2/subagents.ts';
export {
  CancelledPermissionOutcome,
  CancelTerminalRequest,
  CancelToolCallRequest,
  CommandPermissionSubject,
  Content,
  Diff,
  DiffChange,
  DiffFileType,
  DiffPatch,
  DiffPatchFormat,
  DiffPathChange,
  DiffPathPairChange,
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  RequestPermissionSubject,
  SelectedPermissionOutcome,
  Terminal,
  TerminalCapabilities,
  TerminalExitStatus,
  TerminalOutput,
  TerminalOutputChunk,
  TerminalSize,
  TerminalUpdate,
  ToolCallCapabilities,
  ToolCallContent,
  ToolCallContentChunk,
  ToolCallLocation,
  ToolCallPermissionSubject,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from '../protocol/v2/tool-calls.ts';
export {
  ForkSessionRequest,
  ForkSessionResponse,
  SessionStatusResponse,
} from '../protocol/v2/unstable.ts';
export {
  SessionUpdate,
  UpdateSessionNotification,
} from '../protocol/v2/update.ts';
export type { Unrecognized } from '../protocol/vocabulary.ts';
