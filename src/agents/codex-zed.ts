import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes of 0.16.0; 2026-11-24
export const codexZed: AgentKnowledge = {
  names: ['codex-acp'],
  loginCommands: ['codex login'],
  keyVariables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  permissions: [{ settingId: 'mode', asking: ['read-only'], notAsking: ['auto', 'full-access'] }],
};
