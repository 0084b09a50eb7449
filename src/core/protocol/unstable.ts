import * as v from './vocabulary.ts';

/**
 * The unstable parts of the protocol that are the same in both versions. They may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const SessionArchiveFilter = v.openEnum<'exclude' | 'include' | 'only'>();
/** @experimental */
export type SessionArchiveFilter = v.InferOutput<typeof SessionArchiveFilter>;

/** An MCP server that the client provides over the connection to the agent. @experimental */
export const McpServerAcp = v.struct({ name: v.string(), serverId: v.string(), _meta: v.meta });
/** @experimental */
export type McpServerAcp = v.InferOutput<typeof McpServerAcp>;

const tokens = v.nullish(v.count);

/** @experimental */
export const Usage = v.struct({
  totalTokens: v.count,
  inputTokens: v.count,
  outputTokens: v.count,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: v.meta,
});
/** @experimental */
export type Usage = v.InferOutput<typeof Usage>;

const oneSession = v.struct({ sessionId: v.string(), _meta: v.meta });

/** @experimental */
export const ArchiveSessionRequest = oneSession;
/** @experimental */
export type ArchiveSessionRequest = v.InferOutput<typeof ArchiveSessionRequest>;

/** @experimental */
export const UnarchiveSessionRequest = oneSession;
/** @experimental */
export type UnarchiveSessionRequest = v.InferOutput<typeof UnarchiveSessionRequest>;

/** Treat an unknown status as `saved`. @experimental */
export const SessionStatus = v.openEnum<'open' | 'saved'>();
/** @experimental */
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

/** @experimental */
export const SessionStatusRequest = oneSession;
/** @experimental */
export type SessionStatusRequest = v.InferOutput<typeof SessionStatusRequest>;

/** @experimental */
export const SetSessionTitleRequest = v.struct({ sessionId: v.string(), title: v.string(), _meta: v.meta });
/** @experimental */
export type SetSessionTitleRequest = v.InferOutput<typeof SetSessionTitleRequest>;

/** The title that the agent stored. It may differ from the requested one. @experimental */
export const SetSessionTitleResponse = v.struct({ title: v.string(), _meta: v.meta });
/** @experimental */
export type SetSessionTitleResponse = v.InferOutput<typeof SetSessionTitleResponse>;

/** @experimental */
export const AuthState = v.openEnum<'authenticated' | 'unauthenticated' | 'not_required' | 'unknown'>();
/** @experimental */
export type AuthState = v.InferOutput<typeof AuthState>;

/** @experimental */
export const AuthAccount = v.struct({
  label: v.string(),
  active: v.nullish(v.boolean()),
  name: v.nullableString,
  email: v.nullableString,
  organization: v.nullableString,
  _meta: v.meta,
});
/** @experimental */
export type AuthAccount = v.InferOutput<typeof AuthAccount>;

/** @experimental */
export const AuthStatusRequest = v.struct({ _meta: v.meta });
/** @experimental */
export type AuthStatusRequest = v.InferOutput<typeof AuthStatusRequest>;

/** @experimental */
export const AuthStatusResponse = v.struct({
  state: AuthState,
  accounts: v.lenient(v.lenientArray(AuthAccount)),
  _meta: v.meta,
});
/** @experimental */
export type AuthStatusResponse = v.InferOutput<typeof AuthStatusResponse>;

/** @experimental */
export const AuthStatusUpdateNotification = AuthStatusResponse;
/** @experimental */
export type AuthStatusUpdateNotification = v.InferOutput<typeof AuthStatusUpdateNotification>;

/** @experimental */
export const MessageMcpRequest = v.struct({
  serverId: v.string(),
  requestId: v.string(),
  method: v.string(),
  params: v.optionalNullable(v.jsonObject),
  _meta: v.meta,
});
/** @experimental */
export type MessageMcpRequest = v.InferOutput<typeof MessageMcpRequest>;

/** @experimental */
export const MessageMcpNotification = MessageMcpRequest;
/** @experimental */
export type MessageMcpNotification = v.InferOutput<typeof MessageMcpNotification>;

/** What the configuration of an agent's model providers speaks. @experimental */
export const LlmProtocol = v.openEnum<'anthropic' | 'openai' | 'azure' | 'vertex' | 'bedrock'>();
/** @experimental */
export type LlmProtocol = v.InferOutput<typeof LlmProtocol>;

/** @experimental */
export const ProviderCurrentConfig = v.struct({ apiType: LlmProtocol, baseUrl: v.string(), _meta: v.meta });
/** @experimental */
export type ProviderCurrentConfig = v.InferOutput<typeof ProviderCurrentConfig>;

/** @experimental */
export const ProviderInfo = v.struct({
  providerId: v.string(),
  supported: v.withDefault(v.lenientArray(LlmProtocol), []),
  /** If `true`, the provider must not be disabled. */
  required: v.boolean(),
  current: v.optionalNullable(ProviderCurrentConfig),
  _meta: v.meta,
});
/** @experimental */
export type ProviderInfo = v.InferOutput<typeof ProviderInfo>;

/** @experimental */
export const ListProvidersRequest = v.struct({ _meta: v.meta });
/** @experimental */
export type ListProvidersRequest = v.InferOutput<typeof ListProvidersRequest>;

/** @experimental */
export const ListProvidersResponse = v.struct({ providers: v.array(ProviderInfo), _meta: v.meta });
/** @experimental */
export type ListProvidersResponse = v.InferOutput<typeof ListProvidersResponse>;

/** @experimental */
export const SetProviderRequest = v.struct({
  providerId: v.string(),
  apiType: LlmProtocol,
  baseUrl: v.string(),
  headers: v.optional(v.record(v.string())),
  _meta: v.meta,
});
/** @experimental */
export type SetProviderRequest = v.InferOutput<typeof SetProviderRequest>;

/** @experimental */
export const DisableProviderRequest = v.struct({ providerId: v.string(), _meta: v.meta });
/** @experimental */
export type DisableProviderRequest = v.InferOutput<typeof DisableProviderRequest>;
