import type { JsonObject, JsonValue } from '../base/json.ts';
import type {
  ArchiveSessionRequest,
  AuthStatusRequest,
  AuthStatusResponse,
  MessageMcpNotification,
  SessionStatusRequest,
  SetSessionTitleRequest,
  SetSessionTitleResponse,
  UnarchiveSessionRequest,
} from './unstable.ts';
import type {
  DisableProviderRequest,
  ListProvidersRequest,
  ListProvidersResponse,
  SetProviderRequest,
} from './unstable-providers.ts';
import type { AuthenticateRequest, LogoutRequest } from './v1/authentication.ts';
import type {
  CancelNotification,
  PromptRequest as PromptRequestV1,
  PromptResponse as PromptResponseV1,
} from './v1/prompt-turn.ts';
import type {
  SetSessionConfigOptionRequest as SetSessionConfigOptionRequestV1,
  SetSessionConfigOptionResponse as SetSessionConfigOptionResponseV1,
} from './v1/session-config-options.ts';
import type { DeleteSessionRequest as DeleteSessionRequestV1 } from './v1/session-delete.ts';
import type {
  ListSessionsRequest as ListSessionsRequestV1,
  ListSessionsResponse as ListSessionsResponseV1,
} from './v1/session-list.ts';
import type { SetSessionModeRequest } from './v1/session-modes.ts';
import type {
  CloseSessionRequest as CloseSessionRequestV1,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest as NewSessionRequestV1,
  NewSessionResponse as NewSessionResponseV1,
  ResumeSessionRequest as ResumeSessionRequestV1,
  ResumeSessionResponse as ResumeSessionResponseV1,
} from './v1/session-setup.ts';
import type {
  ForkSessionRequest as ForkSessionRequestV1,
  ForkSessionResponse as ForkSessionResponseV1,
  SessionStatusResponse as SessionStatusResponseV1,
} from './v1/unstable.ts';
import type { LoginAuthRequest, LogoutAuthRequest } from './v2/authentication.ts';
import type {
  CancelSessionNotification,
  PromptRequest as PromptRequestV2,
  PromptResponse as PromptResponseV2,
} from './v2/prompt-lifecycle.ts';
import type {
  SetSessionConfigOptionRequest as SetSessionConfigOptionRequestV2,
  SetSessionConfigOptionResponse as SetSessionConfigOptionResponseV2,
} from './v2/session-config-options.ts';
import type { DeleteSessionRequest as DeleteSessionRequestV2 } from './v2/session-delete.ts';
import type {
  ListSessionsRequest as ListSessionsRequestV2,
  ListSessionsResponse as ListSessionsResponseV2,
} from './v2/session-list.ts';
import type {
  CloseSessionRequest as CloseSessionRequestV2,
  NewSessionRequest as NewSessionRequestV2,
  NewSessionResponse as NewSessionResponseV2,
  ResumeSessionRequest as ResumeSessionRequestV2,
  ResumeSessionResponse as ResumeSessionResponseV2,
} from './v2/session-setup.ts';
import type { CancelTerminalRequest, CancelToolCallRequest } from './v2/tool-calls.ts';
import type {
  ForkSessionRequest as ForkSessionRequestV2,
  ForkSessionResponse as ForkSessionResponseV2,
  SessionStatusResponse as SessionStatusResponseV2,
} from './v2/unstable.ts';

/** Parameters and result of a request, as they are on the wire. */
export interface AgentRequest<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/**
 * The requests that a client can send, by their name on the wire. If both versions have a method, the types are the
 * unions of both. The result `JsonValue` has no fields that the protocol defines.
 */
export interface AgentRequests {
  'session/new': AgentRequest<
    NewSessionRequestV1 | NewSessionRequestV2,
    NewSessionResponseV1 | NewSessionResponseV2
  >;
  /** Version 1, and an earlier draft of version 2. */
  'session/load': AgentRequest<
    LoadSessionRequest | (NewSessionRequestV2 & { readonly sessionId: string }),
    LoadSessionResponse | ResumeSessionResponseV2 | null
  >;
  'session/resume': AgentRequest<
    ResumeSessionRequestV1 | ResumeSessionRequestV2,
    ResumeSessionResponseV1 | ResumeSessionResponseV2 | null
  >;
  'session/list': AgentRequest<
    ListSessionsRequestV1 | ListSessionsRequestV2,
    ListSessionsResponseV1 | ListSessionsResponseV2
  >;
  'session/close': AgentRequest<CloseSessionRequestV1 | CloseSessionRequestV2, JsonValue>;
  'session/delete': AgentRequest<DeleteSessionRequestV1 | DeleteSessionRequestV2, JsonValue>;
  'session/prompt': AgentRequest<PromptRequestV1 | PromptRequestV2, PromptResponseV1 | PromptResponseV2>;
  /** Version 1. */
  'session/set_mode': AgentRequest<SetSessionModeRequest, JsonValue>;
  /** Version 1. Removed from the protocol. */
  'session/set_model': AgentRequest<
    { readonly sessionId: string; readonly modelId: string; readonly _meta?: JsonObject | null },
    JsonValue
  >;
  'session/set_config_option': AgentRequest<
    SetSessionConfigOptionRequestV1 | SetSessionConfigOptionRequestV2,
    SetSessionConfigOptionResponseV1 | SetSessionConfigOptionResponseV2
  >;
  /** Version 2. */
  'tool_call/cancel': AgentRequest<CancelToolCallRequest, JsonValue>;
  /** Version 2. */
  'terminal/cancel': AgentRequest<CancelTerminalRequest, JsonValue>;
  /** Version 1. */
  authenticate: AgentRequest<AuthenticateRequest, JsonValue>;
  /** Version 1. */
  logout: AgentRequest<LogoutRequest, JsonValue>;
  /** Version 2. */
  'auth/login': AgentRequest<LoginAuthRequest, JsonValue>;
  /** Version 2. */
  'auth/logout': AgentRequest<LogoutAuthRequest, JsonValue>;
  /** @experimental */
  'session/fork': AgentRequest<
    ForkSessionRequestV1 | ForkSessionRequestV2,
    ForkSessionResponseV1 | ForkSessionResponseV2
  >;
  /** An extension. @experimental */
  '_session/steering': AgentRequest<
    PromptRequestV1 | PromptRequestV2,
    {
      readonly outcome: 'injected' | 'startedNewTurn' | 'promptRequired' | 'failed';
      readonly _meta?: JsonObject | null;
    }
  >;
  /** Version 2. @experimental */
  'session/inject': AgentRequest<
    {
      readonly sessionId: string;
      readonly mode: 'queue' | 'steer' | (string & {});
      readonly content: PromptRequestV2['prompt'];
      readonly _meta?: JsonObject | null;
    },
    { readonly messageId: string; readonly _meta?: JsonObject | null }
  >;
  /** Version 2. @experimental */
  'session/revoke_inject': AgentRequest<
    { readonly sessionId: string; readonly messageId: string; readonly _meta?: JsonObject | null },
    JsonValue
  >;
  /** @experimental */
  'session/archive': AgentRequest<ArchiveSessionRequest, JsonValue>;
  /** @experimental */
  'session/unarchive': AgentRequest<UnarchiveSessionRequest, JsonValue>;
  /** @experimental */
  'session/status': AgentRequest<SessionStatusRequest, SessionStatusResponseV1 | SessionStatusResponseV2>;
  /** @experimental */
  'session/set_title': AgentRequest<SetSessionTitleRequest, SetSessionTitleResponse>;
  /** @experimental */
  'auth/status': AgentRequest<AuthStatusRequest, AuthStatusResponse>;
  /** @experimental */
  'providers/list': AgentRequest<ListProvidersRequest, ListProvidersResponse>;
  /** @experimental */
  'providers/set': AgentRequest<SetProviderRequest, JsonValue>;
  /** @experimental */
  'providers/disable': AgentRequest<DisableProviderRequest, JsonValue>;
}

/** The notifications that a client can send, by their name on the wire, with their parameters. */
export interface AgentNotifications {
  'session/cancel': CancelNotification | CancelSessionNotification;
  /** @experimental */
  'mcp/message': MessageMcpNotification;
}
