import { isJsonObject } from '../base/json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { AgentKnowledge } from './agent-knowledge.ts';
import type { Dialect } from './dialect.ts';
import type { NormalizedUpdate } from './normalize.ts';

/** Reads the parameters of a `session/update`, with what is known about the agent. */
export function readUpdate(
  dialect: Dialect,
  { promptKey, blocksOfText }: AgentKnowledge,
  { update: raw, _meta: meta }: { readonly update?: unknown; readonly _meta?: unknown },
): NormalizedUpdate {
  const normalized = dialect.normalize(withPromptOf(promptKey, meta, raw));
  const { update } = normalized;
  if (!update || !blocksOfText) return normalized;
  const blocksOf = (block: ContentBlock) => (block.type === 'text' ? blocksOfText(block.text) : [block]);
  if (update.sessionUpdate === 'user_message' && update.content)
    return { ...normalized, update: { ...update, content: update.content.flatMap(blocksOf) } };
  if (update.sessionUpdate !== 'user_message_chunk') return normalized;
  const [first = update.content, ...others] = blocksOf(update.content);
  const more = others.map((content) => ({ ...update, content }));
  return more.length === 0 ? normalized : { ...normalized, update: { ...update, content: first }, more };
}

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
