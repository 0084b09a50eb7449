import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: the name of 1.18.33; 2026-11-24
export const opencode: AgentKnowledge = {
  names: ['OpenCode', 'opencode'],
  tested: {
    id: 'opencode',
    name: 'OpenCode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    args: ['acp'],
  },
};
