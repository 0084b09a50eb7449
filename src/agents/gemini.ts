import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes of 0.61.0; 2026-11-24
export const gemini: AgentKnowledge = {
  names: ['gemini-cli', 'gemini'],
  keyVariables: ['GEMINI_API_KEY'],
  permissions: [{ settingId: 'mode', asking: ['default', 'plan'], notAsking: ['autoEdit', 'yolo'] }],
};

export const geminiTested: TestedAgent = {
  id: 'gemini',
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'gemini',
  args: ['--acp'],
};
