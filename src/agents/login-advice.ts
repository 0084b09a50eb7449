import {
  adviceWith,
  type LoginAdvice,
  type LoginFacts,
  offeredMethods,
} from '../core/protocol/login-advice.ts';
import { agentNamed } from './find.ts';

/**
 * How the user can log in, made from everything that is known: the methods of the agent with their descriptions, its
 * error, and for some agents a table of this library. The command to copy comes first, then the keys, then what only
 * an editor can do.
 *
 * @example
 * ```ts
 * const { authMethods, agentInfo } = connection;
 * const { text, commands } = loginAdvice({ authMethods, names: [agentInfo?.name] });
 * ```
 * @see https://agentclientprotocol.com/protocol/authentication
 */
export function loginAdvice(facts: LoginFacts): LoginAdvice {
  const methodIds = offeredMethods(facts).map(({ methodId }) => methodId);
  return adviceWith(facts, agentNamed(facts.names ?? [], methodIds));
}
