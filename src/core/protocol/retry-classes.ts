import type { AcpError } from '../base/errors.ts';
import type { DialectName } from './dialect.ts';
import type { AgentNotifications, AgentRequests } from './requests.ts';

/** What a program may do with a call whose answer was lost: see {@link AcpError.retry}. */
export type RetryClass = NonNullable<AcpError['retry']>;

type Method = keyof AgentRequests | keyof AgentNotifications | 'initialize' | '$/cancel_request';

/** The methods that must not be repeated. */
type Once =
  // A second login may open a second browser.
  | 'auth/login'
  | 'authenticate'
  // A repeat makes a second session.
  | 'session/new'
  | 'session/fork'
  // The agent can have taken the message, and no key says that the second one is the same.
  | '_session/steering'
  | 'session/inject'
  // It could stop newer work.
  | 'session/cancel'
  | '$/cancel_request'
  | 'mcp/message';

/**
 * The methods that may be repeated as they are: each other one but `session/prompt`. Of version 2 it is known that each
 * method has a retry class, and that of `session/prompt`. All others, and those of version 1, are concluded from what the
 * methods do.
 *
 * @see https://agentclientprotocol.com/rfds/v2/idempotency-keys
 */
const asIs: Readonly<Record<Exclude<Method, Once | 'session/prompt'>, true>> = {
  initialize: true,
  'auth/logout': true,
  logout: true,
  'auth/status': true,
  'providers/list': true,
  'providers/set': true,
  'providers/disable': true,
  'session/load': true,
  'session/resume': true,
  'session/list': true,
  'session/options': true,
  'session/status': true,
  'session/close': true,
  'session/delete': true,
  'session/archive': true,
  'session/unarchive': true,
  'session/set_title': true,
  'session/set_mode': true,
  'session/set_model': true,
  'session/set_config_option': true,
  'tool_call/cancel': true,
  'terminal/cancel': true,
  'session/revoke_inject': true,
};

/** The retry class of a method. Nothing is known of a method that is not of the protocol. */
export function retryClassOf(method: string, dialect: DialectName): RetryClass {
  if (method === 'session/prompt') return dialect === 'v2-baseline' ? 'withKey' : 'no';
  return Object.hasOwn(asIs, method) ? 'asIs' : 'no';
}

/** The calls that the library itself sends again: they read, or what they change is the same after the second time. */
export const sentAgain: ReadonlySet<string> = new Set([
  'session/list',
  'session/options',
  'session/status',
  'auth/status',
  'session/close',
  'session/delete',
  'session/set_config_option',
] satisfies readonly Method[]);
