import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: login methods of 0.36.0; 2026-11-24
export const auggie: AgentKnowledge = { names: ['auggie'], loginCommands: ['auggie login'] };
