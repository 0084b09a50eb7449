import type { JsonObject, JsonValue } from '../base/json.ts';
import type { DeleteSessionRequest, ListSessionsRequest, ListSessionsResponse } from './both/session-list.ts';
import type { CloseSessionRequest } from './both/session-setup.ts';
import type * as unstable from './unstable.ts';
import type * as v1 from './v1/messages.ts';
import type * as v2 from './v2/messages.ts';

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
    v1.NewSessionRequest | v2.NewSessionRequest,
    v1.NewSessionResponse | v2.NewSessionResponse
  >;
  /** Version 1, and an earlier draft of version 2. */
  'session/load': AgentRequest<
    v1.LoadSessionRequest | (v2.NewSessionRequest & { readonly sessionId: string }),
    v1.LoadSessionResponse | v2.ResumeSessionResponse | null
  >;
  'session/resume': AgentRequest<
    v1.ResumeSessionRequest | v2.ResumeSessionRequest,
    v1.ResumeSessionResponse | v2.ResumeSessionResponse | null
  >;
  'session/list': AgentRequest<ListSessionsRequest, ListSessionsResponse>;
  'session/close': AgentRequest<CloseSessionRequest, JsonValue>;
  'session/delete': AgentRequest<DeleteSessionRequest, JsonValue>;
  'session/prompt': AgentRequest<v1.PromptRequest | v2.PromptRequest, v1.PromptResponse | v2.PromptResponse>;
  /** Version 1. */
  'session/set_mode': AgentRequest<v1.SetSessionModeRequest, JsonValue>;
  /** Version 1. Removed from the protocol. */
  'session/set_model': AgentRequest<
    { readonly sessionId: string; readonly modelId: string; readonly _meta?: JsonObject | null },
    JsonValue
  >;
  'session/set_config_option': AgentRequest<
    v1.SetSessionConfigOptionRequest | v2.SetSessionConfigOptionRequest,
    v1.SetSessionConfigOptionResponse | v2.SetSessionConfigOptionResponse
  >;
  /** Version 2. */
  'tool_call/cancel': AgentRequest<v2.CancelToolCallRequest, JsonValue>;
  /** Version 2. */
  'terminal/cancel': AgentRequest<v2.CancelTerminalRequest, JsonValue>;
  /** Version 1. */
  authenticate: AgentRequest<v1.AuthenticateRequest, JsonValue>;
  /** Version 1. */
  logout: AgentRequest<v1.LogoutRequest, JsonValue>;
  /** Version 2. */
  'auth/login': AgentRequest<v2.LoginAuthRequest, JsonValue>;
  /** Version 2. */
  'auth/logout': AgentRequest<v2.LogoutAuthRequest, JsonValue>;
  /** @experimental */
  'session/fork': AgentRequest<
    v1.ForkSessionRequest | v2.ForkSessionRequest,
    v1.ForkSessionResponse | v2.ForkSessionResponse
  >;
  /** @experimental */
  'session/options': AgentRequest<
    Pick<v1.NewSessionRequest, 'cwd' | 'additionalDirectories' | '_meta'> & {
      readonly sessionId?: string | null;
    },
    | Pick<v1.NewSessionResponse, 'modes' | 'configOptions' | '_meta'>
    | Pick<v2.NewSessionResponse, 'configOptions' | 'availableCommands' | '_meta'>
  >;
  /** An extension. @experimental */
  '_session/steering': AgentRequest<
    v1.PromptRequest | v2.PromptRequest,
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
      readonly content: v2.PromptRequest['prompt'];
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
  'session/archive': AgentRequest<unstable.ArchiveSessionRequest, JsonValue>;
  /** @experimental */
  'session/unarchive': AgentRequest<unstable.UnarchiveSessionRequest, JsonValue>;
  /** @experimental */
  'session/status': AgentRequest<
    unstable.SessionStatusRequest,
    v1.SessionStatusResponse | v2.SessionStatusResponse
  >;
  /** @experimental */
  'session/set_title': AgentRequest<unstable.SetSessionTitleRequest, unstable.SetSessionTitleResponse>;
  /** @experimental */
  'auth/status': AgentRequest<unstable.AuthStatusRequest, unstable.AuthStatusResponse>;
  /** @experimental */
  'providers/list': AgentRequest<unstable.ListProvidersRequest, unstable.ListProvidersResponse>;
  /** @experimental */
  'providers/set': AgentRequest<unstable.SetProviderRequest, JsonValue>;
  /** @experimental */
  'providers/disable': AgentRequest<unstable.DisableProviderRequest, JsonValue>;
}

/** The notifications that a client can send, by their name on the wire, with their parameters. */
export interface AgentNotifications {
  'session/cancel': v1.CancelNotification | v2.CancelSessionNotification;
  /** @experimental */
  'mcp/message': unstable.MessageMcpNotification;
}
