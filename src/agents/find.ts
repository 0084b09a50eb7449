import { isJsonObject, type JsonObject } from '../core/base/json.ts';
import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
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
