import type { AcpError } from '../base/errors.ts';
import type { DialectName } from './dialect.ts';
import type { AgentNotifications, AgentRequests } from './requests.ts';

/** What a program may do with a call whose answer was lost: see {@link AcpError.retry}. */
export type RetryClass = NonNullable<AcpError['retry']>;

type Method = keyof AgentRequests | keyof AgentNotifications | 'initialize' | '$/cancel_request';

/**
 * The retry class of each method. Of version 2 it is known that each method has one, and that of `session/prompt`. All
 * others, and those of version 1, are concluded from what the methods do.
 *
 * @see https://agentclientprotocol.com/rfds/v2/idempotency-keys
 */
const retryClasses: Readonly<Record<Method, RetryClass | Readonly<Record<DialectName, RetryClass>>>> = {
  initialize: 'asIs',
  // A second login may open a second browser.
  'auth/login': 'no',
  authenticate: 'no',
  'auth/logout': 'asIs',
  logout: 'asIs',
  'auth/status': 'asIs',
  'providers/list': 'asIs',
  'providers/set': 'asIs',
  'providers/disable': 'asIs',
  // A repeat makes a second session.
  'session/new': 'no',
  'session/fork': 'no',
  'session/load': 'asIs',
  'session/resume': 'asIs',
  'session/list': 'asIs',
  'session/options': 'asIs',
  'session/status': 'asIs',
  'session/close': 'asIs',
  'session/delete': 'asIs',
  'session/archive': 'asIs',
  'session/unarchive': 'asIs',
  'session/set_title': 'asIs',
  'session/set_mode': 'asIs',
  'session/set_model': 'asIs',
  'session/set_config_option': 'asIs',
  'tool_call/cancel': 'asIs',
  'terminal/cancel': 'asIs',
  'session/prompt': { v1: 'no', 'v2-markers': 'no', 'v2-baseline': 'withKey' },
  // The agent can have taken the message, and no key says that the second one is the same.
  '_session/steering': 'no',
  'session/inject': 'no',
  'session/revoke_inject': 'asIs',
  // It could stop newer work.
  'session/cancel': 'no',
  '$/cancel_request': 'no',
  'mcp/message': 'no',
};

const byMethod = new Map(Object.entries(retryClasses));

/** The retry class of a method. Nothing is known of a method that is not of the protocol. */
export function retryClassOf(method: string, dialect: DialectName): RetryClass {
  const known = byMethod.get(method) ?? 'no';
  return typeof known === 'string' ? known : known[dialect];
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

/** Of these, the ones whose second call the agent may refuse because the first one is done: it knows no such session. */
export const endsSession: ReadonlySet<string> = new Set([
  'session/close',
  'session/delete',
] satisfies readonly Method[]);
