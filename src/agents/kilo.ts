import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
import { askingPermissions, lacksKey } from './opencode.ts';

// Seen in: the name, the login and the variable of 7.7.9; 2026-11-29
export const kilo: AgentKnowledge = {
  names: ['Kilo', 'kilo'],
  lacksLogin: lacksKey,
  askingVariable: { name: 'KILO_PERMISSION', value: askingPermissions },
};
