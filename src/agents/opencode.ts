import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: the name of 1.18.33; 2026-11-24
export const opencode: AgentKnowledge = {
  names: ['OpenCode', 'opencode'],
};

export const opencodeTested: TestedAgent = {
  id: 'opencode',
  name: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  args: ['acp'],
};
