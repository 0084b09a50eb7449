import type { JsonValue } from '../json.ts';
import type * as unstable from './unstable.ts';
import type * as providers from './unstable-providers.ts';
import type * as auth1 from './v1/authentication.ts';
import type * as turn from './v1/prompt-turn.ts';
import type * as config1 from './v1/session-config-options.ts';
import type * as delete1 from './v1/session-delete.ts';
import type * as list1 from './v1/session-list.ts';
import type * as models from './v1/session-models.ts';
import type * as modes from './v1/session-modes.ts';
import type * as setup1 from './v1/session-setup.ts';
import type * as unstable1 from './v1/unstable.ts';
import type * as auth2 from './v2/authentication.ts';
import type * as lifecycle from './v2/prompt-lifecycle.ts';
import type * as config2 from './v2/session-config-options.ts';
import type * as delete2 from './v2/session-delete.ts';
import type * as list2 from './v2/session-list.ts';
import type * as setup2 from './v2/session-setup.ts';
import type * as tools from './v2/tool-calls.ts';
import type * as unstable2 from './v2/unstable.ts';

interface Call<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/** The result of a method that returns no fields. */
type NoResult = JsonValue;

/**
 * The requests that a client can send, by their name on the wire. If both versions have a method, the types are the
 * unions of both.
 */
export interface AgentRequests {
  'session/new': Call<
    setup1.NewSessionRequest | setup2.NewSessionRequest,
    setup1.NewSessionResponse | setup2.NewSessionResponse
  >;
  /** Version 1, and an earlier draft of version 2. */
  'session/load': Call<
    setup1.LoadSessionRequest | (setup2.NewSessionRequest & { readonly sessionId: string }),
    setup1.LoadSessionResponse | setup2.ResumeSessionResponse | null
  >;
  'session/resume': Call<
    setup1.ResumeSessionRequest | setup2.ResumeSessionRequest,
    setup1.ResumeSessionResponse | setup2.ResumeSessionResponse | null
  >;
  'session/list': Call<
    list1.ListSessionsRequest | list2.ListSessionsRequest,
    list1.ListSessionsResponse | list2.ListSessionsResponse
  >;
  'session/close': Call<setup1.CloseSessionRequest | setup2.CloseSessionRequest, NoResult>;
  'session/delete': Call<delete1.DeleteSessionRequest | delete2.DeleteSessionRequest, NoResult>;
  'session/prompt': Call<
    turn.PromptRequest | lifecycle.PromptRequest,
    turn.PromptResponse | lifecycle.PromptResponse
  >;
  /** Version 1. */
  'session/set_mode': Call<modes.SetSessionModeRequest, NoResult>;
  /** Version 1. Removed from the protocol. */
  'session/set_model': Call<models.SetSessionModelRequest, NoResult>;
  'session/set_config_option': Call<
    config1.SetSessionConfigOptionRequest | config2.SetSessionConfigOptionRequest,
    config1.SetSessionConfigOptionResponse | config2.SetSessionConfigOptionResponse
  >;
  /** Version 2. */
  'tool_call/cancel': Call<tools.CancelToolCallRequest, NoResult>;
  /** Version 2. */
  'terminal/cancel': Call<tools.CancelTerminalRequest, NoResult>;
  /** Version 1. */
  authenticate: Call<auth1.AuthenticateRequest, NoResult>;
  /** Version 1. */
  logout: Call<auth1.LogoutRequest, NoResult>;
  /** Version 2. */
  'auth/login': Call<auth2.LoginAuthRequest, NoResult>;
  /** Version 2. */
  'auth/logout': Call<auth2.LogoutAuthRequest, NoResult>;
  /** @experimental */
  'session/fork': Call<
    unstable1.ForkSessionRequest | unstable2.ForkSessionRequest,
    unstable1.ForkSessionResponse | unstable2.ForkSessionResponse
  >;
  /** @experimental */
  'session/archive': Call<unstable.ArchiveSessionRequest, NoResult>;
  /** @experimental */
  'session/unarchive': Call<unstable.UnarchiveSessionRequest, NoResult>;
  /** @experimental */
  'session/status': Call<
    unstable.SessionStatusRequest,
    unstable1.SessionStatusResponse | unstable2.SessionStatusResponse
  >;
  /** @experimental */
  'session/set_title': Call<unstable.SetSessionTitleRequest, unstable.SetSessionTitleResponse>;
  /** @experimental */
  'auth/status': Call<unstable.AuthStatusRequest, unstable.AuthStatusResponse>;
  /** @experimental */
  'providers/list': Call<providers.ListProvidersRequest, providers.ListProvidersResponse>;
  /** @experimental */
  'providers/set': Call<providers.SetProviderRequest, NoResult>;
  /** @experimental */
  'providers/disable': Call<providers.DisableProviderRequest, NoResult>;
}

/** The notifications that a client can send, by their name on the wire, with their parameters. */
export interface AgentNotifications {
  'session/cancel': turn.CancelNotification | lifecycle.CancelSessionNotification;
  /** @experimental */
  'mcp/message': unstable.MessageMcpNotification;
}
