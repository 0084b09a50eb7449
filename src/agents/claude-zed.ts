import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
import { claudeModes, claudeToolCallKeys } from './claude.ts';

const builtOnIt = ['@zed-industries/claude-agent-acp', '@sudocode-ai/claude-code-acp'];

// Seen in: modes and logins of 0.16.2, 0.23.1 and, of sudocode, 0.13.10; 2026-11-29
export const claudeZed: AgentKnowledge = {
  names: ['@zed-industries/claude-code-acp', ...builtOnIt],
  loginCommands: ['claude /login'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  permissions: [claudeModes],
  toolCallKeys: claudeToolCallKeys,
};
