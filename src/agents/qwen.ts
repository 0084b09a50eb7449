import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes and the recordings of `qwen serve` of 0.24.4; 2026-11-24
export const qwen: AgentKnowledge = {
  names: ['qwen-code'],
  serverMeta: 'qwen',
  permissions: [{ settingId: 'mode', asking: ['default', 'plan'], notAsking: ['auto-edit', 'auto', 'yolo'] }],
  replayEnd: { method: '_qwen/notify', kind: 'replay_complete' },
};

export const qwenTested: TestedAgent = {
  id: 'qwen-code',
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  program: 'qwen',
  args: ['--acp'],
};
