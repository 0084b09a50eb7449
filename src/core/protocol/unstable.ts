import * as v from 'valibot';
import {
  count,
  jsonObject,
  lenient,
  lenientArray,
  meta,
  nullableString,
  nullish,
  openEnum,
  optionalNullable,
  struct,
} from './vocabulary.ts';

/**
 * The unstable parts of the protocol that are the same in both versions. They may change with any release.
 *
 * @experimental
 */

/** @experimental */
export const SessionArchiveFilter = openEnum<'exclude' | 'include' | 'only'>();
/** @experimental */
export type SessionArchiveFilter = v.InferOutput<typeof SessionArchiveFilter>;

/** An MCP server that the client provides over the connection to the agent. @experimental */
export const McpServerAcp = struct({ name: v.string(), serverId: v.string(), _meta: meta });
/** @experimental */
export type McpServerAcp = v.InferOutput<typeof McpServerAcp>;

const tokens = nullish(count);

/** @experimental */
export const Usage = struct({
  totalTokens: count,
  inputTokens: count,
  outputTokens: count,
  thoughtTokens: tokens,
  cachedReadTokens: tokens,
  cachedWriteTokens: tokens,
  _meta: meta,
});
/** @experimental */
export type Usage = v.InferOutput<typeof Usage>;

const oneSession = struct({ sessionId: v.string(), _meta: meta });

/** @experimental */
export const ArchiveSessionRequest = oneSession;
/** @experimental */
export type ArchiveSessionRequest = v.InferOutput<typeof ArchiveSessionRequest>;

/** @experimental */
export const UnarchiveSessionRequest = oneSession;
/** @experimental */
export type UnarchiveSessionRequest = v.InferOutput<typeof UnarchiveSessionRequest>;

/** Treat an unknown status as `saved`. @experimental */
export const SessionStatus = openEnum<'open' | 'saved'>();
/** @experimental */
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

/** @experimental */
export const SessionStatusRequest = oneSession;
/** @experimental */
export type SessionStatusRequest = v.InferOutput<typeof SessionStatusRequest>;

/** @experimental */
export const SetSessionTitleRequest = struct({ sessionId: v.string(), title: v.string(), _meta: meta });
/** @experimental */
export type SetSessionTitleRequest = v.InferOutput<typeof SetSessionTitleRequest>;

/** The title that the agent stored. It may differ from the requested one. @experimental */
export const SetSessionTitleResponse = struct({ title: v.string(), _meta: meta });
/** @experimental */
export type SetSessionTitleResponse = v.InferOutput<typeof SetSessionTitleResponse>;

/** @experimental */
export const AuthState = openEnum<'authenticated' | 'unauthenticated' | 'not_required' | 'unknown'>();
/** @experimental */
export type AuthState = v.InferOutput<typeof AuthState>;

/** @experimental */
export const AuthAccount = struct({
  label: v.string(),
  active: nullish(v.boolean()),
  name: nullableString,
  email: nullableString,
  organization: nullableString,
  _meta: meta,
});
/** @experimental */
export type AuthAccount = v.InferOutput<typeof AuthAccount>;

/** @experimental */
export const AuthStatusRequest = struct({ _meta: meta });
/** @experimental */
export type AuthStatusRequest = v.InferOutput<typeof AuthStatusRequest>;

/** @experimental */
export const AuthStatusResponse = struct({
  state: AuthState,
  accounts: lenient(lenientArray(AuthAccount)),
  _meta: meta,
});
/** @experimental */
export type AuthStatusResponse = v.InferOutput<typeof AuthStatusResponse>;

/** @experimental */
export const AuthStatusUpdateNotification = AuthStatusResponse;
/** @experimental */
export type AuthStatusUpdateNotification = v.InferOutput<typeof AuthStatusUpdateNotification>;

/** @experimental */
export const MessageMcpRequest = struct({
  serverId: v.string(),
  requestId: v.string(),
  method: v.string(),
  params: optionalNullable(jsonObject),
  _meta: meta,
});
/** @experimental */
export type MessageMcpRequest = v.InferOutput<typeof MessageMcpRequest>;

/** @experimental */
export const MessageMcpNotification = MessageMcpRequest;
/** @experimental */
export type MessageMcpNotification = v.InferOutput<typeof MessageMcpNotification>;
