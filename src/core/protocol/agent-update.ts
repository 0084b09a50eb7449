import { isJsonObject } from '../base/json.ts';
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
  if (!blocksOfText || update?.sessionUpdate !== 'user_message_chunk') return normalized;
  if (update.content.type !== 'text') return normalized;
  const [first = update.content, ...others] = blocksOfText(update.content.text);
  const more = others.map((content) => ({ ...update, content }));
  return { ...normalized, update: { ...update, content: first }, more };
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
