import { isJsonObject } from '../base/json.ts';

const chunks: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
]);

/**
 * Copies the id of the prompt from the `_meta` of a notification into the `_meta` of its chunk. The fold uses it to keep the
 * words of two prompts apart. An agent with a `promptKey` names the prompt beside the update. Any other update is returned as
 * it is, and so is one that names its prompt itself.
 */
export function withPromptOf(
  promptKey: string | undefined,
  notificationMeta: unknown,
  update: unknown,
): unknown {
  if (promptKey === undefined || !isJsonObject(notificationMeta) || !isJsonObject(update)) return update;
  const promptId = notificationMeta[promptKey];
  if (typeof promptId !== 'string' || !chunks.has(update['sessionUpdate'])) return update;
  const own = isJsonObject(update['_meta']) ? update['_meta'] : {};
  return Object.hasOwn(own, 'promptId') ? update : { ...update, _meta: { ...own, promptId } };
}
