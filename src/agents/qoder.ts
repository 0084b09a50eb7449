import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';

// Seen in: login methods of 1.1.52; 2026-11-24
export const qoder: AgentKnowledge = { names: ['qoder-cli', 'qoder'], loginCommands: ['qodercli login'] };
