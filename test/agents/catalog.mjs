import { claude } from './agents/claude.mjs';
import { claudeZed } from './agents/claude-zed.mjs';
import { cline } from './agents/cline.mjs';
import { codex } from './agents/codex.mjs';
import { copilot } from './agents/copilot.mjs';
import { gemini } from './agents/gemini.mjs';
import { opencode } from './agents/opencode.mjs';
import { qwen } from './agents/qwen.mjs';
import { sdk } from './agents/sdk.mjs';

/**
 * The agents of the suite, in the order of the page. Each has:
 *
 * - `name`, what it is called on the command line;
 * - `package`, the npm package at the version that is run, and `sizeMiB` of it with all that it brings;
 * - `nodeMajor`, the version of Node.js that it asks for, where that is not the oldest supported one;
 * - `protocolVersions` that it speaks, each of which is run through the scenario;
 * - `launch`, which writes its configuration into a clean home and says how it is started;
 * - what it needs of an editor beyond the defaults: `fileSystem` options, `reloadAfterMs`.
 */
export const catalog = [codex, opencode, sdk, claude, claudeZed, copilot, gemini, qwen, cline];

/** The version in `package`. */
export function versionOf(agent) {
  return agent.package.slice(agent.package.lastIndexOf('@') + 1);
}

/** The name of a folder or a file for this agent at this version. */
export function labelOf(agent) {
  return `${agent.name}-${versionOf(agent)}`;
}
