import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import { type AsksForPermission, asksWith } from '../core/client/session/permission-mode.ts';
import type { SessionSetting } from '../core/conversation/settings.ts';
import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
import {
  adviceWith,
  type LoginAdvice,
  type LoginFacts,
  offeredMethods,
} from '../core/protocol/login-advice.ts';
import { readInitialize } from '../core/protocol/read-initialize.ts';
import { agents } from './list.ts';

/** What is known about an agent. `names` are the one in `agentInfo` and the id in the registry, as far as they are known. */
export function agentNamed(
  names: readonly (string | undefined)[],
  methodIds: readonly string[] = [],
): AgentKnowledge | undefined {
  return (
    agents.find((agent) => names.some((name) => name !== undefined && agent.names.includes(name))) ??
    agents.find((agent) => agent.methodIds?.some((methodId) => methodIds.includes(methodId)))
  );
}

/** What is known about the agent that answered `initialize` so. */
export function agentOf(initializeResult: JsonObject): AgentKnowledge {
  const { agentInfo, authMethods } = readInitialize(initializeResult);
  const methodIds = authMethods.map(({ methodId }) => methodId);
  return agentNamed([agentInfo?.name], methodIds) ?? serverOf(initializeResult) ?? otherAgent;
}

/** The agent of a server, which need not report the name of its agent. */
function serverOf(initializeResult: JsonObject): AgentKnowledge | undefined {
  const agentCapabilities = initializeResult['agentCapabilities'];
  const meta = isJsonObject(agentCapabilities) ? agentCapabilities['_meta'] : undefined;
  if (!isJsonObject(meta)) return undefined;
  return agents.find(({ serverMeta }) => serverMeta !== undefined && isJsonObject(meta[serverMeta]));
}

/** An agent that is not known can be built on one that is, which makes its calls of tools. */
const otherAgent: AgentKnowledge = {
  names: [],
  toolCallKeys: agents.flatMap(({ toolCallKeys = [] }) => toolCallKeys),
};

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

/**
 * Whether an agent asks for permission with the settings of a session. It is looked up in a table of this library, so
 * that a newer version of the agent can behave in another way. A handler of `requestPermission` protects only if the
 * agent asks.
 *
 * @param agentName - `connection.agentInfo?.name`, or `state.agent?.name` of a panel.
 * @param settings - What `settingsOf` returns, or `state.settings` of a panel.
 *
 * @example
 * ```ts
 * const { asks, reason } = asksForPermission(agentInfo?.name, settingsOf(session.conversation));
 * if (asks !== 'yes') showWarning(reason);
 * ```
 */
export function asksForPermission(
  agentName: string | undefined,
  settings: readonly SessionSetting[],
): AsksForPermission {
  return asksWith(agentNamed([agentName])?.permissions, settings);
}
