import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: options of 3.0.65; 2026-11-24
export const cline: AgentKnowledge = {
  names: ['cline'],
  tested: {
    id: 'cline',
    name: 'Cline',
    package: 'cline',
    version: '3.0.65',
    program: 'cline',
    args: ['--acp'],
  },
  permissions: [{ settingId: 'auto_approve', asking: ['false'], notAsking: ['true'] }],
};
