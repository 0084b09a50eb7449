import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
import { claudeModes, claudeToolCallKeys } from './claude.ts';

// Seen in: modes and logins of 0.16.2 and 0.23.1; 2026-11-24
export const claudeZed: AgentKnowledge = {
  names: ['@zed-industries/claude-code-acp', '@zed-industries/claude-agent-acp'],
  loginCommands: ['claude /login'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  permissions: [claudeModes],
  toolCallKeys: claudeToolCallKeys,
};
