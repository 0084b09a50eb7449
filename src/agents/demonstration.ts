import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: modes of the demo agent; 2026-11-29
export const demonstration: AgentKnowledge = {
  names: ['acp-demo-agent'],
  permissions: [{ settingId: 'mode', asking: ['ask'], notAsking: ['auto'] }],
  toolCallKeys: ['callId'],
};
