import { isJsonObject } from '../base/json.ts';

const chunks: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
]);

/**
 * The chunk with the prompt of its notification in its own `_meta`, where the words of two prompts are told apart. An agent
 * with a `promptKey` names the prompt beside the update. Any other update, and one that names its prompt itself, is returned
 * as it is.
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
