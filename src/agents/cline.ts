import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: options of 3.0.65; 2026-11-24
export const cline: AgentKnowledge = {
  names: ['cline'],
  dropsEarlyCancel: true,
  permissions: [{ settingId: 'auto_approve', asking: ['false'], notAsking: ['true'] }],
};

export const clineTested: TestedAgent = {
  id: 'cline',
  name: 'Cline',
  package: 'cline',
  version: '3.0.65',
  program: 'cline',
  args: ['--acp'],
};
