import type { AgentKnowledge, TestedAgent } from '../core/protocol/agent-knowledge.ts';

// Seen in: pi-acp 0.0.34, whose modes are levels of thinking; 2026-11-24
export const pi: AgentKnowledge = {
  names: ['pi-acp'],
  permissions: [],
};

export const piTested: TestedAgent = {
  id: 'pi-acp',
  name: 'pi',
  package: 'pi-acp',
  version: '0.0.34',
  program: 'pi-acp',
  args: [],
};
