import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { at, each, renamed, upgradeByTag } from '../upgrade.ts';

/**
 * Replaces the spellings of earlier drafts of version 2 with current ones, where they are unambiguous. Some agents
 * still use them. Only values that do not fit the current schema are upgraded.
 *
 * @see https://agentclientprotocol.com/protocol/v2/migration
 */

const upgradeToolCall = each('content', upgradeContent);

const upgradeConfigOptions = each('configOptions', (option) =>
  each('options', renamed('group', 'groupId'))(renamed('id', 'configId')(option)),
);

/** Commands had no `type`. */
const upgradeCommands = each('availableCommands', (command) =>
  'type' in command ? command : { ...command, type: 'command' },
);

/** Upgrades the `update` of a `session/update`. */
export const upgradeDraftUpdate = upgradeByTag({
  plan_update: at('plan', renamed('id', 'planId')),
  plan_removed: renamed('id', 'planId'),
  config_option_update: upgradeConfigOptions,
  available_commands_update: upgradeCommands,
  tool_call_update: upgradeToolCall,
  tool_call_content_chunk: at('content', upgradeContent),
});

/** Upgrades the answer to opening a session or to setting a config option. */
export function upgradeDraftSession(result: unknown): unknown {
  if (result === null) return {};
  return isJsonObject(result) ? upgradeCommands(upgradeConfigOptions(result)) : result;
}

/** A permission request had a `toolCall` and neither title nor subject, as in version 1. */
export function upgradeDraftPermission(params: unknown): unknown {
  if (!isJsonObject(params)) return params;
  const { toolCall, title, ...rest } = params;
  const request =
    title === undefined && isJsonObject(toolCall)
      ? { ...rest, title: toolCall['title'] ?? '', subject: { type: 'tool_call', toolCall } }
      : params;
  return at('subject', at('toolCall', upgradeToolCall))(request);
}

/** A diff had one file with its old and its new text, as in version 1. The text of a patch was named `diff`. */
function upgradeContent(content: JsonObject): JsonObject {
  const { type, changes, path, oldText = null, newText, ...rest } = content;
  if (type !== 'diff') return content;
  if (changes !== undefined) return at('patch', renamed('diff', 'text'))(content);
  if (path === undefined || typeof newText !== 'string') return content;
  const operation = oldText === null ? 'add' : 'modify';
  return { ...rest, type, changes: [{ operation, path, oldText, newText }] };
}
