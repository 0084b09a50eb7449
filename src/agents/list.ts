import type { AgentKnowledge } from '../core/protocol/agent-knowledge.ts';
import { auggie } from './auggie.ts';
import { claude, claudeZed } from './claude.ts';
import { cline } from './cline.ts';
import { codex, codexZed } from './codex.ts';
import { copilot } from './copilot.ts';
import { demonstration } from './demonstration.ts';
import { droid } from './droid.ts';
import { gemini } from './gemini.ts';
import { grok } from './grok.ts';
import { kimi } from './kimi.ts';
import { nanocoder } from './nanocoder.ts';
import { kilo, opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qoder } from './qoder.ts';
import { qwen } from './qwen.ts';

/** The demo agent has its name from here. */
export { demonstration as demo };

/**
 * The agents about which something is known that they do not say themselves. The suite of real agents compares it with
 * what they do. A comment in each file says where it was seen: versions, and the day.
 */
export const agents: readonly AgentKnowledge[] = [
  codex,
  opencode,
  kilo,
  claude,
  claudeZed,
  codexZed,
  copilot,
  gemini,
  qwen,
  cline,
  pi,
  nanocoder,
  grok,
  droid,
  auggie,
  qoder,
  kimi,
  demonstration,
];
