/**
 * The schemas and wire types of version 2, with the names of the official schema. Version 2 is in Preview: what the schemas
 * contain follows it in a minor version too.
 *
 * Level: stable.
 *
 * @see https://agentclientprotocol.com/protocol/v2/schema
 * @experimental
 * @packageDocumentation
 */

export {
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
  Icon,
  IconTheme,
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
  BackgroundSubagent,
  BackgroundTerminal,
  BackgroundToolCall,
  BackgroundWork,
  ErrorStopReason,
  IdleStateUpdate,
  RequiresActionStateUpdate,
  RunningStateUpdate,
  StateUpdate,
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
  AuthMethod,
  AuthMethodAgent,
  AuthMethodTerminal,
  LoginAuthRequest,
  LogoutAuthRequest,
} from '../core/protocol/v2/authentication.ts';
export { CreateElicitationResponse, ElicitationAcceptAction } from '../core/protocol/v2/elicitation.ts';
export {
  AgentAuthCapabilities,
  AgentCapabilities,
  ClientAuthCapabilities,
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
  McpCapabilities,
  PromptCapabilities,
  SessionCapabilities,
} from '../core/protocol/v2/initialization.ts';
export {
  AgentMessage,
  AgentThought,
  CancelSessionNotification,
  ContentChunk,
  PromptRequest,
  PromptResponse,
  UserMessage,
} from '../core/protocol/v2/prompt-lifecycle.ts';
export {
  ConfigOptionUpdate,
  SessionConfigOption,
  SessionConfigSelect,
  SessionConfigSelectGroup,
  SessionConfigSelectOptions,
  SetSessionConfigOptionRequest,
  SetSessionConfigOptionResponse,
} from '../core/protocol/v2/session-config-options.ts';
export {
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
} from '../core/protocol/v2/session-setup.ts';
export {
  AvailableCommand,
  AvailableCommandInput,
  AvailableCommandsUpdate,
  Command,
  TextCommandInput,
} from '../core/protocol/v2/slash-commands.ts';
export {
  CancelledPermissionOutcome,
  CancelTerminalRequest,
  CancelToolCallRequest,
  CommandPermissionSubject,
  Diff,
  DiffChange,
  DiffFileType,
  DiffPatch,
  DiffPatchFormat,
  DiffPathChange,
  DiffPathPairChange,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  RequestPermissionSubject,
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
  ToolCallUpdate,
} from '../core/protocol/v2/tool-calls.ts';
export {
  ForkSessionRequest,
  ForkSessionResponse,
  SessionStatusResponse,
} from '../core/protocol/v2/unstable.ts';
export { SessionUpdate, UpdateSessionNotification } from '../core/protocol/v2/update.ts';
export type { Unrecognized } from '../core/protocol/vocabulary.ts';
