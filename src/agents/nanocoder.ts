import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes of 1.30.0; 2026-11-24
export const nanocoder: AgentKnowledge = {
  names: ['nanocoder'],
  permissions: [{ settingId: 'mode', asking: ['normal', 'plan'], notAsking: ['auto-accept', 'yolo'] }],
};

export const nanocoderTested: TestedAgent = {
  id: 'nanocoder',
  name: 'nanocoder',
  package: '@nanocollective/nanocoder',
  version: '1.30.0',
  program: 'nanocoder',
  args: ['--acp'],
};
