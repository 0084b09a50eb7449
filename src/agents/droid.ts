import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

const notAsking = ['auto-low', 'auto-medium', 'auto-high'];

// Seen in: modes and options of 0.215.0; 2026-11-24
export const droid: AgentKnowledge = {
  names: ['@factory/cli', 'factory-droid'],
  permissions: [
    { settingId: 'autonomy_level', asking: ['normal', 'spec'], notAsking },
    { settingId: 'mode', asking: ['normal', 'spec'], notAsking },
  ],
};
