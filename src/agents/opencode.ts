import type { RemoteError } from '../core/base/errors.ts';
import { isJsonObject } from '../core/base/json.ts';
import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

/** The permissions in the variable of this agent, and of those that are built on it. */
const askingPermissions = '{"edit":"ask","bash":"ask","webfetch":"ask"}';

/** It passes on what the provider of its model says about the key. */
function lacksKey({ data, agentMessage }: RemoteError): boolean {
  const isOfProvider = isJsonObject(data) && data['errorName'] === 'APIError';
  return isOfProvider && /\bapi[ -]?key\b|unauthorized|credential|authenticat/i.test(agentMessage);
}

// Seen in: the name and the variable of 1.18.33; 2026-11-29
export const opencode: AgentKnowledge = {
  names: ['OpenCode', 'opencode'],
  lacksLogin: lacksKey,
  askingVariable: { name: 'OPENCODE_PERMISSION', value: askingPermissions },
};

// Seen in: the name, the login and the variable of 7.7.9; 2026-11-29
export const kilo: AgentKnowledge = {
  ...opencode,
  names: ['Kilo', 'kilo'],
  askingVariable: { name: 'KILO_PERMISSION', value: askingPermissions },
};

export const opencodeTested: TestedAgent = {
  id: 'opencode',
  name: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  args: ['acp'],
};
