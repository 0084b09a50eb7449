import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

/** The permissions in the variable of this agent, and of those that are built on it. */
export const askingPermissions = '{"edit":"ask","bash":"ask","webfetch":"ask"}';

// Seen in: the name and the variable of 1.18.33; 2026-11-29
export const opencode: AgentKnowledge = {
  names: ['OpenCode', 'opencode'],
  askingVariable: { name: 'OPENCODE_PERMISSION', value: askingPermissions },
};

export const opencodeTested: TestedAgent = {
  id: 'opencode',
  name: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  args: ['acp'],
};
