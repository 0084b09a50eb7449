import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes and options of 1.0.102; 2026-11-24
export const copilot: AgentKnowledge = {
  names: ['Copilot', 'github-copilot-cli'],
  dropsEarlyCancel: true,
  permissions: [
    { settingId: 'allow_all', asking: ['off'], notAsking: ['on'] },
    {
      settingId: 'mode',
      asking: [
        'https://agentclientprotocol.com/protocol/session-modes#agent',
        'https://agentclientprotocol.com/protocol/session-modes#plan',
      ],
      notAsking: ['https://agentclientprotocol.com/protocol/session-modes#autopilot'],
    },
  ],
};

export const copilotTested: TestedAgent = {
  id: 'github-copilot-cli',
  name: 'GitHub Copilot',
  package: '@github/copilot',
  version: '1.0.102',
  program: 'copilot',
  args: ['--acp'],
};
