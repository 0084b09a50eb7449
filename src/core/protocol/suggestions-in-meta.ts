import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ContentBlock } from '../model/content.ts';
import type { PromptSuggestionsUpdate } from '../model/update.ts';

const key = 'promptSuggestions';

type Suggestion = PromptSuggestionsUpdate['suggestions'][number];

/** The metadata of an update, if it has suggestions. An agent withdraws them with an empty list or `null`. */
function metaWithSuggestions({ _meta }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(_meta) || !Object.hasOwn(_meta, key)) return undefined;
  return Array.isArray(_meta[key]) || _meta[key] === null ? _meta : undefined;
}

/**
 * The suggestions in the metadata of a `session_info_update`, as an update of their own. Agents send them there that do
 * not have `prompt_suggestions_update` yet: a list of texts, or of objects with a `prompt`. A convention, and not part
 * of the specification.
 *
 * @param isBlock - Whether a value is a content block of the agent's version.
 */
export function suggestionsInMeta(
  update: JsonObject,
  isBlock: (value: unknown) => boolean,
): readonly PromptSuggestionsUpdate[] | undefined {
  const listed = metaWithSuggestions(update)?.[key];
  if (listed === undefined) return undefined;
  const items: readonly JsonValue[] = Array.isArray(listed) ? listed : [];
  const suggestions = items.flatMap((item) => read(item, isBlock) ?? []);
  return [{ sessionUpdate: 'prompt_suggestions_update', suggestions }];
}

function read(item: JsonValue, isBlock: (value: unknown) => boolean): Suggestion | undefined {
  if (typeof item === 'string') return textSuggestion(item);
  if (!isJsonObject(item)) return undefined;
  const { prompt, _meta } = item;
  const meta = isJsonObject(_meta) && { _meta };
  if (typeof prompt === 'string') return { ...textSuggestion(prompt), ...meta };
  // The caller's check has read the blocks.
  return Array.isArray(prompt) && prompt.every(isBlock)
    ? { prompt: prompt as readonly JsonValue[] as readonly ContentBlock[], ...meta }
    : undefined;
}

function textSuggestion(text: string): Suggestion {
  return { prompt: [{ type: 'text', text }] };
}

/** Some agents suggest a text where the proposal has blocks. */
export function textAsBlocks(prompt: unknown): unknown {
  return typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
}

/** The update without them: the metadata of the session would keep them after the next prompt. */
export function withoutSuggestions<T extends { readonly _meta?: JsonObject | null }>(update: T): T {
  const meta = metaWithSuggestions(update as JsonObject);
  if (!meta) return update;
  const { _meta: _, ...rest } = update;
  const { [key]: __, ...others } = meta;
  // Without other metadata there is no patch: `{}` would make the metadata of the session an object.
  return (Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest) as T;
}
