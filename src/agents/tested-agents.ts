import type { TestedAgent } from '../core/protocol/agent-knowledge.ts';
import { claudeTested } from './claude.ts';
import { clineTested } from './cline.ts';
import { codexTested } from './codex.ts';
import { copilotTested } from './copilot.ts';
import { geminiTested } from './gemini.ts';
import { grokTested } from './grok.ts';
import { nanocoderTested } from './nanocoder.ts';
import { opencodeTested } from './opencode.ts';
import { piTested } from './pi.ts';
import { qwenTested } from './qwen.ts';

/** The agents that finished turns in the tests. Apart from what is known about them, so that a page does not load it. */
export const testedAgents: readonly TestedAgent[] = [
  codexTested,
  opencodeTested,
  claudeTested,
  copilotTested,
  geminiTested,
  qwenTested,
  clineTested,
  piTested,
  nanocoderTested,
  grokTested,
];

/** The tested agent with this id. */
export function testedAgent(id: string): TestedAgent | undefined {
  return testedAgents.find((agent) => agent.id === id);
}
